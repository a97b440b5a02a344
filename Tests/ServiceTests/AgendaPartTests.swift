import Devices
import Horology
import Sound
import TestSupport
import Testing

@testable import Service

/// The agenda as the service answers for it, a part at a time.
@Suite struct AgendaPartTests {
  /// A Saturday, 22:00 UTC.
  private static let start = Instant(seconds: 1_795_298_400)
  private static let end = start + .seconds(86_400)

  private func announcer(
    _ trust: ClockTrust = .synchronised, _ switchState: SwitchState = .absent, alarms: [String] = []
  ) throws -> Announcer {
    var settings = AnnouncerSettings()
    settings.interval = Interval(minutes: 60)!
    settings.untrusted = .ask
    settings.silences = .announcements
    settings.alarms = try alarms.enumerated().map { number, time in
      AlarmPlan(
        name: "alarm \(number)",
        AlarmTimes(
          time: try TimeOfDay(text: time), days: try AlarmDays(text: "mon-sun")))
    }
    let now = Now(
      instant: Self.start, uptime: Uptime(nanoseconds: 0), sinceBoot: .zero)
    return Announcer(
      settings: settings, zone: UTCZone(), trust: trust, switchState: switchState, at: now)
  }

  private func part(
    of announcer: Announcer, from start: Instant = start, most: Int = AgendaPart.most
  ) throws -> AgendaPart {
    AgendaPart(
      of: announcer, try Configuration().composer(), from: start, to: Self.end, at: Self.start,
      most: most)
  }

  @Test("no part ends between two lines of one instant, and together they are the whole")
  func parts() throws {
    let announcer = try announcer(alarms: ["23:00", "23:00", "23:00", "23:30", "00:15"])
    let whole = try part(of: announcer)
    #expect(whole.until == Self.end && whole.lines.count == 24 + 5)
    var (lines, from, counts) = ([AgendaLine](), Self.start, [Int]())
    while from < Self.end, counts.count < 40 {
      let next = try part(of: announcer, from: from, most: 3)
      lines += next.lines
      counts.append(next.lines.count)
      from = next.until
    }
    #expect(lines == whole.lines)
    #expect(counts.prefix(3) == [5, 3, 3])
  }

  @Test("it is read as it was written") func record() throws {
    let part = try part(of: announcer(.untrusted, .off, alarms: ["23:00"]), most: 3)
    let read = try AgendaPart(part.record)
    #expect(read.lines == part.lines && read.until == part.until)
    #expect((read.silencedBySwitch, read.untrusted) == (.announcements, .ask))
  }
}
