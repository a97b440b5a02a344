import Testing

@testable import Horology

/// When each minute of some days is first shown. It samples the clock every 30 s.
private struct Watch {
  /// When each minute rings, in seconds since 1970. The key is the shown minute: minutes since
  /// 1970, read as UTC.
  private(set) var rings: [Int64: Int64] = [:]

  init(_ zone: RealZone, from start: Int64, to end: Int64) {
    var before: (shown: Int64, offset: Int64)?
    for tick in stride(from: start - start % 60, to: end, by: 30) {
      let offset = Int64(zone.offset(at: tick))
      let shown = tick + offset
      if let before, shown > before.shown + 30 {
        for minute in (before.shown / 60 + 1)..<((shown + 59) / 60) where rings[minute] == nil {
          rings[minute] = minute * 60 - before.offset
        }
      }
      if shown % 60 == 0, rings[shown / 60] == nil { rings[shown / 60] = tick }
      before = (shown, offset)
    }
  }

  /// The first ring after `instant`, at `minute` of the day, on `days`.
  func next(after instant: Int64, minute: Int, on days: Set<Weekday>) -> Int64? {
    let week = (instant / 86_400 - 2)...(instant / 86_400 + 9)
    return week.compactMap { day in
      // 1970 began on a Thursday.
      let weekday = Weekday(rawValue: Int((day + 4) % 7))!
      return days.contains(weekday) ? rings[day * 1440 + Int64(minute)] : nil
    }.filter { $0 > instant }.min()
  }
}

@Suite struct AlarmZonesTests {
  /// A kind of clock change: the offsets before and after, and the time of day in UTC.
  private struct Kind: Hashable {
    let before: Int
    let after: Int
    let timeOfDay: Int64
  }

  /// One change of each kind since 1970, from any zone.
  private static let changes: [(zone: RealZone, at: Int64)] = {
    var seen: Set<Kind> = []
    var found: [(RealZone, Int64)] = []
    for zone in RealZone.all {
      for change in zone.changes where change.at > 3 * 86_400 {
        let kind = Kind(
          before: zone.offset(at: change.at - 1), after: change.offset,
          timeOfDay: change.at % 86_400)
        if kind.before != kind.after, seen.insert(kind).inserted { found.append((zone, change.at)) }
      }
    }
    return found
  }()

  @Test(
    "around every kind of change it rings when a watch of every minute says",
    .enabled(if: RealZone.areThere, "there is no tz database"))
  func everyKindOfChange() {
    #expect(Self.changes.count > 100)
    var chance = SeededNumbers(seed: 14)
    for (zone, change) in Self.changes {
      let watch = Watch(zone, from: change - 3 * 86_400, to: change + 4 * 86_400)
      let offset = zone.offset(at: change - 1)
      let gap = (zone.offset(at: change) - offset) / 60
      let edge = Int(change + Int64(offset)) / 60
      let random = Int.random(in: 0...1439, using: &chance)
      for minute in [edge, edge - 1, edge + gap, edge + gap / 2, random] {
        let after = change + .random(in: -2 * 86_400...86_400, using: &chance)
        for start in [change - 1, change, after] {
          expectRing(zone, after: start, minute % 1440, Set(Weekday.allCases), as: watch)
        }
        let day = Weekday.allCases.randomElement(using: &chance)!
        expectRing(zone, after: after, minute % 1440, [day], as: watch)
      }
    }
  }

  private func expectRing(
    _ zone: RealZone, after start: Int64, _ minute: Int, _ days: Set<Weekday>, as watch: Watch
  ) {
    // The next ring may come after the end of the watch.
    guard let expected = watch.next(after: start, minute: minute, on: days) else { return }
    let time = TimeOfDay(hour: minute / 60, minute: minute % 60)!
    let ring = AlarmTimes(time: time, days: .weekly(days))
      .nextRing(after: Instant(seconds: start), in: zone.zone)
    #expect(ring == Instant(seconds: expected), "\(zone.name): \(time) after \(start)")
  }

  @Test(
    "it rings once a day all year, and a day that a zone leaves out is no second ring",
    .enabled(if: RealZone.areThere, "there is no tz database"),
    arguments: [
      ("Europe/London", "2026"), ("America/New_York", "2026"), ("Australia/Lord_Howe", "2026"),
      ("Pacific/Apia", "2011"), ("Africa/Casablanca", "2026"), ("Pacific/Kwajalein", "1993"),
    ])
  func year(name: String, year: String) throws {
    let zone = try #require(RealZone(named: name)).zone
    let start = Instant("\(year)-01-01T00:00:00")
    for minutes in stride(from: 0, to: 1440, by: 45) {
      let time = TimeOfDay(hour: minutes / 60, minute: minutes % 60)!
      let times = AlarmTimes(time: time, days: .weekly(Set(Weekday.allCases)))
      var rings = [try #require(times.nextRing(after: start, in: zone))]
      while rings.count < 365, let ring = times.nextRing(after: rings.last!, in: zone) {
        rings.append(ring)
      }
      let spans = zip(rings, rings.dropFirst()).map { ($1 - $0).inSeconds / 3600 }
      #expect(spans.allSatisfy { 22...26 ~= $0 }, "\(time)")
    }
  }
}
