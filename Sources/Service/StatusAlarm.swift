import Basics
import Horology

extension Status.Alarm {
  private static let reasonKey = Key<String>.text("reason")

  /// When it rings next, or again; nil if it rings now or never will.
  public var next: Instant? {
    switch alarm.state {
    case .waiting(let next, _): next
    case .snoozing(_, let until): until.shown
    case .ringing: nil
    }
  }

  public var record: Record {
    var record = alarm.record.shown
    record[Self.reasonKey] = reason
    return record
  }

  init(_ record: Record) throws(BadValue) {
    self.init(
      alarm: try Alarm(record) { .missing($0) },
      reason: try record.optional(Self.reasonKey))
  }
}

extension [Status.Alarm] {
  /// All that ring; if none does, the next, even if it will be silent.
  public func shown(at instant: Instant) -> [Status.Alarm] {
    let ringing = filter(\.alarm.isRinging)
    if ringing.isEmpty, let next = next(at: instant) { return [next] }
    return ringing
  }

  /// The one that rings next; if none will, the silent one that comes next.
  private func next(at instant: Instant) -> Status.Alarm? {
    let alarms = filter { $0.next != nil }.sorted { $0.next! < $1.next! }
    // With a clock that is not trusted, the time of a silent alarm may be past although it did not
    // ring.
    let known =
      alarms.first { $0.reason == nil } ?? alarms.first { $0.next! > instant } ?? alarms.last
    // Without a known time it may still ring: its time is known once the clock is right.
    return known ?? first { $0.alarm.key == "waiting" && $0.reason != nil }
  }
}
