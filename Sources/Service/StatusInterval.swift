import Basics
import Daemon
import Horology

extension Status {
  /// An interval that runs, as it is seen from outside. Spans are in microseconds.
  public struct Interval: Hashable, Sendable {
    /// When its first cue sounded, or will; microseconds of UTC since 1970.
    public let start: UInt64
    /// From one cue of a plain interval to the next; 0 for rounds.
    public let every: UInt64
    public let work: UInt64
    public let rest: UInt64
    public let prepare: UInt64
    /// 0 for no end.
    public let rounds: UInt32
    /// How many seconds are counted down.
    public let countdown: UInt32
    /// The voice says its phases.
    public let words: Bool

    init(_ interval: IntervalTimer) {
      start = interval.start.shown.microseconds
      switch interval.plan {
      case .plain(let period):
        every = period.microseconds
        (work, rest, prepare, rounds, countdown, words) = (0, 0, 0, 0, 0, false)
      case .rounds(let plan):
        every = 0
        work = plan.work.microseconds
        rest = plan.rest.microseconds
        prepare = plan.prepare.microseconds
        rounds = UInt32(plan.count ?? 0)
        countdown = UInt32(plan.countdown)
        words = plan.saysWords
      }
    }

    public var plan: IntervalPlan {
      BusReader.plan(
        every: every, work: work, rest: rest, rounds: rounds, prepare: prepare,
        countdown: countdown, words: words)
    }

    /// The time since its start, at an instant; negative before the start.
    public func passed(at instant: Instant) -> Duration {
      .microseconds(Int64(clamping: instant.microseconds) - Int64(clamping: start))
    }
  }
}

extension Status.Interval: BusRow {
  public static let types = "tttttuub"

  public var values: [BusValue] {
    [every, work, rest, prepare].reduce(into: [.unsigned(start)]) { $0.append(.unsigned($1)) }
      + [.small(rounds), .small(countdown), .flag(words)]
  }

  public init?(values: [BusValue]) {
    guard values.count == 8, let start = UInt64(values[0]), let every = UInt64(values[1]),
      let work = UInt64(values[2]), let rest = UInt64(values[3]), let prepare = UInt64(values[4]),
      let rounds = UInt32(values[5]), let countdown = UInt32(values[6]),
      case .flag(let words) = values[7]
    else { return nil }
    self.start = start
    self.every = every
    self.work = work
    self.rest = rest
    self.prepare = prepare
    self.rounds = rounds
    self.countdown = countdown
    self.words = words
    // Refuse a plan of another version or of another program.
    guard plan.flaw == nil else { return nil }
  }
}
