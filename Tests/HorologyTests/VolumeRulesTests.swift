import Horology
import TestSupport
import Testing

@Suite struct VolumeRulesTests {
  @Test(
    "a time that is asked for is as loud as the time at which it is asked for",
    .rule("quieter-times"))
  func asked() throws {
    let rules = try VolumeRules(text: "sat 15:00-16:00 -12dB, sun 00:00-24:00 -6dB")
    let noon = try #require(CivilTime(hour: 12, minute: 0))
    let three = try #require(CivilTime(hour: 15, minute: 0))
    for (now, time, level) in [
      ("2026-11-21T15:07:00", noon, -12.0), ("2026-11-21T12:07:00", three, 0),
      ("2026-11-22T15:07:00", three, -6), ("2026-11-23T15:07:00", three, 0),
    ] {
      var desk = Desk(at: now) { $0.quieter = rules }
      desk.tell(.asked(time, speakerIsAwake: true))
      #expect(desk.decibels == level, "\(now)")
    }
  }

  @Test(
    "what is no rule is refused", arguments: ["22:00-07:00", "-6dB", "22:00-07:00 6dB", "x -6dB"])
  func refused(text: String) {
    #expect(throws: TimesError.self) { _ = try VolumeRules(text: text) }
  }
}
