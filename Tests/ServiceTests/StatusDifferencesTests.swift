import Devices
import Glibc
import Horology
import TestSupport
import Testing

@testable import Service

/// The agenda and the check read a configuration; the running service may have another.
@Suite struct StatusDifferencesTests {
  /// A Saturday, 22:00 UTC.
  private static let now = Instant(seconds: 1_795_298_400)
  private static let ring = now + .seconds(9 * 3600)
  private static let morning = "06:00-08:00"
  private static let zone = UTCZone()

  private func settings(quiet: String? = nil, minutes: Int = 15) -> AnnouncerSettings {
    var settings = AnnouncerSettings()
    if let quiet { settings.quiet = try! QuietHours(text: quiet) }
    settings.interval = Interval(minutes: minutes)!
    return settings
  }

  private func rules(quiet: String? = nil, minutes: Int = 15) -> Rules {
    Rules(settings(quiet: quiet, minutes: minutes), trust: .synchronised)
  }

  private func status(of settings: AnnouncerSettings) throws -> Status {
    var configuration = Configuration()
    configuration.announcer = settings
    return try Status(
      configuration, configuration.composer(), zone: Self.zone,
      clock: ClockState(basis: .disciplined, uncertainty: nil), at: Self.now)
  }

  /// The status with an alarm at 07:00 each day, and the reason that the service gives.
  private func status(_ reason: SkipReason?, _ state: Alarm.State? = nil) throws -> Status {
    let times = AlarmTimes(
      time: try TimeOfDay(text: "07:00"), days: try AlarmDays(text: "mon-sun"))
    let alarm = Alarm(
      number: 1, AlarmPlan(times), from: .person,
      state: state ?? .waiting(next: Self.ring, from: nil))
    var status = try status(of: settings())
    status.alarms = [Status.Alarm(alarm, reason)]
    return status
  }

  private func refusals(_ status: Status, _ rules: Rules) -> [SkipReason?] {
    let rings = status.appointments(rules, in: Self.zone, from: Self.now)
    return rings.prefix(2).map(\.refusal)
  }

  @Test("the next ring is as silent as the service says, a later one as the rules say")
  func nextRing() throws {
    let silent = try status(.quietHours)
    let rings = try status(nil)
    #expect(refusals(silent, rules()) == [.quietHours, nil])
    #expect(refusals(rings, rules(quiet: Self.morning)) == [nil, .quietHours])
    #expect(refusals(rings, rules()) == [nil, nil])
  }

  @Test("a switch that is off now does not silence the next ring, and hides its quiet hours")
  func hidden() throws {
    let off = try status(.muted)
    #expect(refusals(off, rules()) == [nil, nil])
    #expect(refusals(off, rules(quiet: Self.morning)) == [.quietHours, .quietHours])
  }

  @Test("other quiet hours show in the reason of an alarm that waits") func waits() throws {
    let cases: [(SkipReason?, String?, Bool)] = [
      (.quietHours, nil, true), (nil, Self.morning, true), (.quietHours, Self.morning, false),
      (nil, nil, false), (.muted, Self.morning, false), (.muted, nil, false),
    ]
    for (reason, quiet, isOther) in cases {
      let told = try status(reason)
      let read = rules(quiet: quiet)
      #expect(told.hasOtherQuietHours(than: read, in: Self.zone) == isOther)
      #expect(told.hasOtherSettings(than: read, in: Self.zone) == isOther)
    }
  }

  @Test("a snooze shows no other quiet hours: they may be those of the alarm's own time")
  func snoozes() throws {
    let end = TimedMoment(sinceBoot: .zero, shown: Self.now + .seconds(300))
    let told = try status(.quietHours, .snoozing(ring: Self.now - .seconds(300), until: end))
    #expect(refusals(told, rules()) == [.quietHours, nil])
    #expect(told.hasOtherQuietHours(than: rules(), in: Self.zone) == false)
  }

  @Test("the next occasion shows other quiet hours, another interval and another chime")
  func occasion() throws {
    let night = "22:00-07:00"
    let plain = try status(of: settings())
    let quiet = try status(of: settings(quiet: night))
    var chimes = plain
    chimes.next.chime = "whittington"
    // 22:15 is no occasion of every half hour.
    let cases: [(Status, Rules, Bool)] = [
      (plain, rules(), false), (plain, rules(quiet: night), true),
      (plain, rules(minutes: 30), true), (quiet, rules(), true),
      (quiet, rules(quiet: night), false), (chimes, rules(), true),
    ]
    for (told, read, isOther) in cases {
      #expect(told.hasOtherSettings(than: read, in: Self.zone) == isOther)
    }
  }

  @Test("what silences only for a while shows no other settings") func forAWhile() throws {
    var told = try status(of: settings())
    for reason in [SkipReason.muted, .softwareMuted, .untrusted] {
      told.next.refusal = Status.Refusal(key: reason.key, words: reason.description)
      #expect(told.hasOtherSettings(than: rules(), in: Self.zone) == false)
    }
  }
}
