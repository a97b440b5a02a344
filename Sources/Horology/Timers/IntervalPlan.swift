/// Repeating cues, each placed by arithmetic from the first.
public enum IntervalPlan: Hashable, Sendable {
  case plain(every: Duration)
  case rounds(IntervalRounds)

  public static let shortest = Duration.seconds(1)
  public static let longest = Duration.seconds(86_400)
  public static let mostRounds = 1000
  public static let longestCountdown = 10

  public struct TimedSignal: Hashable, Sendable {
    public let offset: Duration
    public let signal: Signal
  }

  public struct Phase: Hashable, Sendable {
    public enum Kind: String, Sendable {
      case prepare, work, rest
      /// The time between two cues of a plain interval.
      case wait
    }

    public let kind: Kind
    /// Counted from 1; 0 while it prepares.
    public let round: Int
    /// Offset from the start.
    public let end: Duration
  }

  /// How long it is; nil if it has no end. After the last round there is no rest.
  public var length: Duration? {
    guard case .rounds(let rounds) = self else { return nil }
    return rounds.length
  }

  /// The first cue at `offset` or later; nil after the last.
  public func cue(atOrAfter offset: Duration) -> TimedSignal? {
    switch self {
    case .plain(let period):
      return TimedSignal(offset: period * max(offset, .zero).periods(of: period), signal: .cue)
    case .rounds(let rounds): return rounds.cues(from: offset).first
    }
  }

  /// True if the voice says its phases, whatever is configured.
  var saysWords: Bool { if case .rounds(let rounds) = self { rounds.saysWords } else { false } }

  /// From a cue at `offset` to the next; nil if it is the last.
  func gap(after offset: Duration) -> Duration? {
    cue(atOrAfter: offset + .nanoseconds(1)).map { $0.offset - offset }
  }

  /// The phase at `offset`; nil after the last. Offsets before the start belong to the first phase.
  public func phase(at offset: Duration) -> Phase? {
    let passed = max(offset, .zero)
    switch self {
    case .plain(let period):
      let round = Int(passed.nanoseconds / period.nanoseconds)
      return Phase(kind: .wait, round: round + 1, end: period * (round + 1))
    case .rounds(let rounds): return rounds.phase(at: passed)
    }
  }
}

extension IntervalPlan: CustomStringConvertible {
  /// As in `30 s`, or `8 rounds, 20 s work and 10 s rest, after 10 s`.
  public var description: String {
    switch self {
    case .plain(let period): return period.inFull
    case .rounds(let rounds):
      let count = rounds.count.map { $0 == 1 ? "1 round" : "\($0) rounds" } ?? "rounds without end"
      let rest = rounds.rest > .zero ? " and \(rounds.rest.inFull) rest" : ""
      let prepare = rounds.prepare > .zero ? ", after \(rounds.prepare.inFull)" : ""
      let countdown =
        switch rounds.countdown {
        case 0: ", without a countdown"
        case 3: ""
        default: ", counting down \(rounds.countdown) s"
        }
      let words = rounds.saysWords ? ", with words" : ""
      return "\(count), \(rounds.work.inFull) work\(rest)\(prepare)\(countdown)\(words)"
    }
  }
}

public struct IntervalRounds: Hashable, Sendable {
  public internal(set) var work: Duration
  public internal(set) var rest: Duration
  /// Nil for rounds without end.
  public internal(set) var count: Int?
  /// Before the first round; zero for none.
  public internal(set) var prepare: Duration
  /// How many seconds are counted down before each phase, and before the end.
  public internal(set) var countdown: Int
  public internal(set) var saysWords: Bool

  public static let usualCountdown = 3

  public init(
    work: Duration, rest: Duration = .zero, count: Int? = nil, prepare: Duration = .zero,
    countdown: Int = usualCountdown, saysWords: Bool = false
  ) {
    self.work = work
    self.rest = rest
    self.count = count
    self.prepare = prepare
    self.countdown = countdown
    self.saysWords = saysWords
  }

  /// Shorter work has no signal at its half.
  private static let shortestWithHalf = Duration.seconds(4)
  /// No countdown tick is closer to the half than this: its signal takes 0.4 s, a tick 0.08 s.
  private static let aroundHalf = Duration.milliseconds(450)

  fileprivate var length: Duration? { count.map { start(ofRound: $0 - 1) + work } }

  /// Counted from 0.
  private func start(ofRound round: Int) -> Duration { prepare + (work + rest) * round }

  /// The round at `offset`, counted from 0; after the end, the last round.
  private func round(at offset: Duration) -> Int {
    let passed = max(offset - prepare, .zero).nanoseconds / (work + rest).nanoseconds
    return min(Int(passed), (count ?? .max) - 1)
  }

  /// The next cues at `offset` or later, in order, but not all of them; empty after the last.
  fileprivate func cues(from offset: Duration) -> [IntervalPlan.TimedSignal] {
    let round = round(at: offset)
    let cues = preparing + cues(ofRound: round) + cues(ofRound: round + 1)
    return cues.filter { $0.offset >= offset }
  }

  /// The cues of a round, in order; the last round has the end, too.
  private func cues(ofRound round: Int) -> [IntervalPlan.TimedSignal] {
    if let count, round >= count { return [] }
    let isLast = round + 1 == count
    let start = start(ofRound: round)
    let end = start + work
    let half = start + work / 2
    let first: Signal = isLast && round > 0 ? .last : .work
    var cues = [IntervalPlan.TimedSignal(offset: start, signal: first)]
    if work >= Self.shortestWithHalf {
      let counts = counts(from: start, to: end)
      cues += counts.filter { $0.offset <= half - Self.aroundHalf }
      cues.append(.init(offset: half, signal: .half))
      cues += counts.filter { $0.offset >= half + Self.aroundHalf }
    } else {
      cues += counts(from: start, to: end)
    }
    if isLast { return cues + [.init(offset: end, signal: .end)] }
    guard rest > .zero else { return cues }
    return cues + [.init(offset: end, signal: .rest)] + counts(from: end, to: end + rest)
  }

  private var preparing: [IntervalPlan.TimedSignal] {
    guard prepare > .zero else { return [] }
    return [.init(offset: .zero, signal: .prepare)] + counts(from: .zero, to: prepare)
  }

  /// One tick each second. The first comes no sooner than a second after the phase has begun, when
  /// the loudest part of its signal is over.
  private func counts(from start: Duration, to end: Duration) -> [IntervalPlan.TimedSignal] {
    (0..<countdown).reversed().map { end - .seconds($0 + 1) }.filter { $0 - start >= .seconds(1) }
      .map { .init(offset: $0, signal: .count) }
  }

  fileprivate func phase(at passed: Duration) -> IntervalPlan.Phase? {
    if passed < prepare { return .init(kind: .prepare, round: 0, end: prepare) }
    if let length, passed >= length { return nil }
    let round = round(at: passed)
    let end = start(ofRound: round) + work
    return passed < end
      ? .init(kind: .work, round: round + 1, end: end)
      : .init(kind: .rest, round: round + 1, end: end + rest)
  }
}

extension Duration {
  /// How many periods cover this duration, rounded up.
  func periods(of period: Duration) -> Int {
    Int((nanoseconds + period.nanoseconds - 1) / period.nanoseconds)
  }
}
