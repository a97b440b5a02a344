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
