/// Repeating cues, each placed by arithmetic from the first.
public enum IntervalPlan: Hashable, Sendable {
  /// One cue after the other, until it is stopped.
  case plain(every: Duration)
  case rounds(IntervalRounds)

  /// The shortest period, or phase of work.
  public static let shortest = Duration.seconds(1)
  /// The longest phase.
  public static let longest = Duration.seconds(86_400)
  /// There are no more rounds than this.
  public static let mostRounds = 1000
  /// No more seconds than this are counted down.
  public static let longestCountdown = 10

  /// A cue, by its distance from the start.
  public struct Cue: Hashable, Sendable {
    public let offset: Duration
    public let signal: Signal
  }

  /// What a moment of an interval belongs to.
  public struct Phase: Hashable, Sendable {
    public enum Kind: String, Sendable {
      case prepare, work, rest
      /// The time between two cues of a plain interval.
      case wait
    }

    public let kind: Kind
    /// Counted from 1; 0 while it prepares.
    public let round: Int
    /// By its distance from the start.
    public let end: Duration
  }

  /// How long it is; nil if it has no end. After the last round there is no rest.
  public var length: Duration? {
    guard case .rounds(let rounds) = self else { return nil }
    return rounds.length
  }

  /// The first cue at `offset` or later; nil after the last.
  public func cue(atOrAfter offset: Duration) -> Cue? {
    switch self {
    case .plain(let period):
      return Cue(offset: period * max(offset, .zero).periods(of: period), signal: .cue)
    case .rounds(let rounds): return rounds.cues(from: offset).first
    }
  }

  /// The voice says its phases, whatever is configured.
  var saysWords: Bool { if case .rounds(let rounds) = self { rounds.saysWords } else { false } }

  /// How far the next cue is from one at `offset`; nil if it is the last.
  func gap(after offset: Duration) -> Duration? {
    cue(atOrAfter: offset + .nanoseconds(1)).map { $0.offset - offset }
  }

  /// The phase that `offset` belongs to; nil after the last. What is before the start belongs to the
  /// first.
  public func phase(at offset: Duration) -> Phase? {
    let passed = max(offset, .zero)
    switch self {
    case .plain(let period):
      let round = Int(passed.nanoseconds / period.nanoseconds)
      return Phase(kind: .wait, round: round + 1, end: period * (round + 1))
    case .rounds(let rounds): return rounds.phase(at: passed)
    }
  }

  /// Why it cannot be had, as a sentence; nil if it can.
  public var flaw: String? {
    let within = "from \(Self.shortest.exactly) to \(Self.longest.exactly)"
    switch self {
    case .plain(let period):
      return Self.isLong(period) ? nil : "an interval is \(within) long"
    case .rounds(let rounds):
      if !Self.isLong(rounds.work) { return "the work of a round is \(within) long" }
      if rounds.rest != .zero, !Self.isLong(rounds.rest) { return "the rest is \(within) long" }
      if rounds.prepare != .zero, !Self.isLong(rounds.prepare) {
        return "the time to prepare is \(within) long"
      }
      if let count = rounds.count, !(1...Self.mostRounds).contains(count) {
        return "there are 1 to \(Self.mostRounds) rounds"
      }
      return (0...Self.longestCountdown).contains(rounds.countdown)
        ? nil : "0 to \(Self.longestCountdown) seconds are counted down"
    }
  }

  private static func isLong(_ span: Duration) -> Bool { shortest <= span && span <= longest }
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

/// Work and rest, again and again.
public struct IntervalRounds: Hashable, Sendable {
  public let work: Duration
  /// Zero for none.
  public let rest: Duration
  /// Nil until it is stopped.
  public let count: Int?
  /// Before the first round; zero for none.
  public let prepare: Duration
  /// How many seconds are counted down before a phase begins, or all is over.
  public let countdown: Int
  /// The voice says what begins, after its signal.
  public let saysWords: Bool

  public init(
    work: Duration, rest: Duration = .zero, count: Int? = nil, prepare: Duration = .zero,
    countdown: Int = 3, saysWords: Bool = false
  ) {
    self.work = work
    self.rest = rest
    self.count = count
    self.prepare = prepare
    self.countdown = countdown
    self.saysWords = saysWords
  }

  /// Work that is shorter has no signal at its half.
  private static let shortestWithHalf = Duration.seconds(4)
  /// The countdown leaves this much before and after that free: it takes 0.4 s, and a tick 0.08 s.
  private static let aroundHalf = Duration.milliseconds(450)

  fileprivate var length: Duration? { count.map { start(ofRound: $0 - 1) + work } }

  /// Counted from 0.
  private func start(ofRound round: Int) -> Duration { prepare + (work + rest) * round }

  /// The round that `offset` falls into, counted from 0; the last after that.
  private func round(at offset: Duration) -> Int {
    let passed = max(offset - prepare, .zero).nanoseconds / (work + rest).nanoseconds
    return min(Int(passed), (count ?? .max) - 1)
  }

  /// Some of the cues at `offset` or later, the next of them first; none after the last.
  fileprivate func cues(from offset: Duration) -> [IntervalPlan.Cue] {
    let round = round(at: offset)
    let cues = preparing + cues(ofRound: round) + cues(ofRound: round + 1)
    return cues.filter { $0.offset >= offset }
  }

  /// What belongs to a round, in order, with the end of all after the last.
  private func cues(ofRound round: Int) -> [IntervalPlan.Cue] {
    if let count, round >= count { return [] }
    let isLast = round + 1 == count
    let start = start(ofRound: round)
    let end = start + work
    let half = start + work / 2
    let first: Signal = isLast && round > 0 ? .last : .work
    var cues = [IntervalPlan.Cue(offset: start, signal: first)]
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

  private var preparing: [IntervalPlan.Cue] {
    guard prepare > .zero else { return [] }
    return [.init(offset: .zero, signal: .prepare)] + counts(from: .zero, to: prepare)
  }

  /// Three, two, one: the first no sooner than a second after the phase has begun, when the loudest of
  /// its signal is over.
  private func counts(from start: Duration, to end: Duration) -> [IntervalPlan.Cue] {
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
  /// How many periods it takes to fill this, the last perhaps not whole.
  func periods(of period: Duration) -> Int {
    Int((nanoseconds + period.nanoseconds - 1) / period.nanoseconds)
  }
}
