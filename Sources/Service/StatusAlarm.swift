import Basics
import Daemon
import Horology

extension Status {
  /// An alarm, as it is seen from outside.
  public struct Alarm: Numbered, Hashable, Sendable {
    public static let kind = "alarm"

    public let number: UInt32
    /// Empty for none.
    public let name: String
    /// `HH:MM`.
    public let time: String
    /// As in `mon-fri`, `2026-12-24` or `once`.
    public let days: String
    /// The tune that rings; empty for the signal.
    public let tune: String
    /// waiting, ringing or snoozing.
    public let state: String
    /// When it rings next, or again; microseconds of UTC since 1970, 0 if it rings or never will.
    public let next: UInt64
    /// person or configuration.
    public let origin: String
    /// Why it will be silent then, as things are; empty if it will ring.
    public let reason: String
    /// How it grows louder, as in `5min` or `-30dB 5min`; empty if it does not.
    public let rise: String

    init(_ alarm: Horology.Alarm, _ refusal: SkipReason?) {
      reason = refusal?.description ?? ""
      number = UInt32(alarm.number)
      name = alarm.name ?? ""
      time = alarm.plan.times.time.description
      days = alarm.plan.times.days.description
      tune = alarm.plan.tune?.name ?? ""
      state = alarm.key
      next =
        switch alarm.state {
        case .waiting(let next, _): next?.microseconds ?? 0
        case .snoozing(_, let until): until.shown.microseconds
        case .ringing: 0
        }
      origin = alarm.origin.rawValue
      rise = alarm.plan.rise?.description ?? ""
    }

    /// When it rings next, or again; nil if it rings or never will.
    public var nextInstant: Instant? { next == 0 ? nil : Instant(microseconds: next) }
  }
}

extension [Status.Alarm] {
  /// All that ring; if none does, the next, even if it will be silent.
  public func shown(at instant: Instant) -> [Status.Alarm] {
    let ringing = filter { $0.state == "ringing" }
    if ringing.isEmpty, let next = next(at: instant) { return [next] }
    return ringing
  }

  /// The one that rings next; if none will, the silent one that comes next.
  func next(at instant: Instant) -> Status.Alarm? {
    let alarms = filter { $0.nextInstant != nil }.sorted { $0.next < $1.next }
    // With a clock that is not trusted, the time of a silent alarm may be past although it did not
    // ring.
    let known =
      alarms.first(where: \.reason.isEmpty)
      ?? alarms.first { $0.next > instant.microseconds } ?? alarms.last
    // Without a known time it may still ring: its time is known once the clock is right.
    return known ?? first(where: { $0.state == "waiting" && !$0.reason.isEmpty })
  }
}

extension Status.Alarm: BusRow {
  public static let types = "ussssstsss"

  public var values: [BusValue] {
    [
      .small(number), .text(name), .text(time), .text(days), .text(tune), .text(state),
      .unsigned(next), .text(origin), .text(reason), .text(rise),
    ]
  }

  public init?(values: [BusValue]) {
    guard values.count == 10, let number = UInt32(values[0]), let name = String(values[1]),
      let time = String(values[2]), let days = String(values[3]), let tune = String(values[4]),
      let state = String(values[5]), let next = UInt64(values[6]),
      let origin = String(values[7]), let reason = String(values[8]), let rise = String(values[9])
    else { return nil }
    self.number = number
    self.name = name
    self.time = time
    self.days = days
    self.tune = tune
    self.state = state
    self.next = next
    self.origin = origin
    self.reason = reason
    self.rise = rise
  }
}
