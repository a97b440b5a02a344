import Devices
import Horology
import Sound
import TestSupport
import Testing

@testable import Service

@Suite struct StatusTests {
  private let moment = TimedMoment(sinceBoot: .zero, shown: Instant(seconds: 1_800_000_000))

  private func told() throws -> Status {
    let configuration = Configuration()
    var told = Status(
      configuration, try configuration.composer(),
      Announcer(
        settings: configuration.announcer, zone: UTCZone(), trust: .untrusted,
        switchState: .lost("gone"), mute: .until(moment.shown), at: SystemClock.now),
      clock: ClockState(
        basis: .agreesWithRTC("ds3231"), uncertainty: .seconds(1), ends: moment.shown))
    told.timers = [
      Reminder(number: 1, .timer(TimerPlan(.seconds(60), name: "tea")), state: .waiting(moment))
    ]
    return told
  }

  @Test("a status of another version is read: what is not known is ignored, what is missing empty")
  func otherVersion() throws {
    let told = try told()
    var later = told.record
    later["moon"] = .text("full")
    var timer = told.timers[0].record.shown
    timer["colour"] = .integer(3)
    later["timers"] = .list([.record(timer)])
    #expect(try Status(later).timers.first?.name == "tea")
    for (key, _) in told.record.fields {
      var earlier = told.record
      earlier[key] = nil
      #expect(throws: Never.self, "\(key)") { try Status(earlier) }
    }
  }

  @Test("the properties of the bus are the keys of the record, in the same order") func properties()
    throws
  {
    var told = try told()
    told.substitute = "hw:1"
    told.playing = "noon"
    (told.lastError, told.stateError, told.stateLoss) = ("a", "b", "c")
    told.last = Status.Last(instant: moment.shown, text: "noon", onsetError: .milliseconds(-2))
    let times = AlarmTimes(time: try TimeOfDay(text: "07:00"), days: .next)
    told.alarms = [
      Status.Alarm(
        alarm: Reminder(
          number: 1, .alarm(AlarmPlan(times)),
          state: .waiting(
            TimedMoment(sinceBoot: .zero, shown: moment.shown, followsClock: true))),
        reason: nil)
    ]
    told.isSilencedBySwitch = true
    told.findProblems(Configuration(), others: [("speaker", "it is gone")])
    #expect(told.record.fields.map(\.key) == Status.properties.map(\.field.name))
    #expect(told.record["problems"] != .list([]))
    var shown = told
    // Others do not learn how long the machine has run.
    shown.timers = try Status(told.record).timers
    #expect(try Status(told.record) == shown)
  }
}
