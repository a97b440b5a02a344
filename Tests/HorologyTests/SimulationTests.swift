import Testing

@testable import Horology

/// Months with faults at random: every failure is reproduced by its seed.
@Suite struct SimulationTests {
  private static let zones: [TestZone] = [
    .utc, .fixed(minutes: 345),
    .changing(from: 7200, to: 3600, at: Instant("2026-10-25T01:00:00").seconds),
    .changing(from: 37_800, to: 39_600, at: Instant("2026-10-30T15:30:00").seconds),
  ]

  /// One month, and what was set in it.
  private struct Month: Sendable {
    let settings: AnnouncerSettings
    let zone: TestZone
    let history: SimulatedWorld.History

    init(seed: UInt64) {
      var settings = AnnouncerSettings()
      settings.interval = Interval(minutes: [1, 5, 15, 15, 30, 60][Int(seed % 6)])!
      settings.untrusted = seed % 4 == 0 ? .speak : .silent
      if seed % 3 == 0 { settings.quiet = try! QuietHours(text: "22:00-07:00") }
      let zone = SimulationTests.zones[Int(seed % 4)]
      var world = SimulatedWorld(
        seed: seed, settings: settings, zone: zone, start: Instant("2026-10-20T03:07:00"))
      world.run(for: .seconds(30 * 86_400))
      self.settings = settings
      self.zone = zone
      history = world.history
    }
  }

  private static let seeds = UInt64(0)..<24
  private static let months = Dictionary(
    uniqueKeysWithValues: seeds.map { ($0, Month(seed: $0)) })

  @Test("nothing overlaps", arguments: seeds) func nothingOverlaps(seed: UInt64) {
    let history = Self.months[seed]!.history
    #expect(history.overlaps == 0)
    #expect(history.soundings.count > 100)
    let pairs = zip(history.soundings, history.soundings.dropFirst())
    let overlapping = pairs.filter { $0.ended > $1.began.uptime }
    #expect(overlapping.isEmpty)
  }

  @Test("nothing sounds while the switch is off or lost", arguments: seeds)
  func nothingSoundsWhileMuted(seed: UInt64) {
    let history = Self.months[seed]!.history
    #expect(history.silences.count > 10)
    let heard = history.soundings.filter { sounding in
      history.silences.contains { sounding.ended > $0.from && sounding.began.uptime < $0.to }
    }
    #expect(heard.isEmpty)
  }

  @Test("what is said is true as it is said", arguments: seeds)
  func whatIsSaidIsTrue(seed: UInt64) {
    let month = Self.months[seed]!
    // Late by as much as is allowed, and by the time from the decision to the first sound.
    let timely = Duration.zero...(month.settings.lateLimit + Announcer.requestLead)
    let untrue = month.history.soundings.filter { sounding in
      let said = sounding.announcement.time
      guard case .occasion(let occasion) = sounding.announcement.cause else {
        return said.minuteOfDay != month.zone.civil(at: sounding.began.instant).minuteOfDay
      }
      return said != month.zone.civil(at: occasion.instant) || month.settings.quiet.contains(said)
        || !timely.contains(sounding.began.instant - occasion.instant)
    }
    #expect(untrue.isEmpty)
  }

  @Test("it is never silent for longer than the watchdog believes", arguments: seeds)
  func neverSilentForLong(seed: UInt64) {
    #expect(Self.months[seed]!.history.furthestWakeUp <= Vitals.furthestWakeUp)
  }

  @Test("no occasion sounds twice", arguments: seeds) func noOccasionSoundsTwice(seed: UInt64) {
    let history = Self.months[seed]!.history
    var heard: [Instant: Uptime] = [:]
    for sounding in history.soundings {
      guard case .occasion(let occasion) = sounding.announcement.cause else { continue }
      let at = sounding.began.uptime
      if let before = heard.updateValue(at, forKey: occasion.instant) {
        let isForgotten = history.forgettings.contains { before < $0 && $0 < at }
        #expect(isForgotten, "\(occasion.civil) sounded again")
      }
    }
  }

  @Test("every occasion sounds or is explained", arguments: seeds)
  func everyOccasionIsAccountedFor(seed: UInt64) {
    let month = Self.months[seed]!
    let schedule = Schedule(interval: month.settings.interval, zone: month.zone)
    var accounted: Set<Instant> = []
    for sounding in month.history.soundings {
      if case .occasion(let occasion) = sounding.announcement.cause {
        accounted.insert(occasion.instant)
      }
    }
    for skip in month.history.skips {
      let skipped = schedule.occasions(from: skip.first).prefix { $0.instant <= skip.last }
      accounted.formUnion(skipped.map(\.instant))
    }
    // The last minute may still be open when the month ends.
    let end = month.history.passages.last!.to - .seconds(60)
    var unexplained: [Occasion] = []
    for passage in month.history.passages {
      let passed = schedule.occasions(from: passage.from + .nanoseconds(1))
        .prefix { $0.instant <= min(passage.to, end) }
      unexplained += passed.filter { !accounted.contains($0.instant) }
    }
    #expect(unexplained == [])
  }
}
