/// Words about a timer, an interval or an alarm. They wait until nothing else is said.
public struct TimerWords: Hashable, Sendable {
  public let source: Cue.Source
  /// As in `timer "tea"`.
  public let title: String
  /// The voice says the first that it has words for.
  public let phrases: [TimerPhrase]
  /// When they may begin, since the machine started; after `until` they are dropped.
  public let from: Duration
  public let until: Duration
  /// When they must be over, since the machine started; nil for no limit.
  public let endsBy: Duration?

  /// From the beginning of the first ring to its words, if the signal rings.
  static let afterRing = Duration.seconds(2)

  /// Their subject, for a reader: as in `how much is left of timer "tea"`.
  public var subject: String {
    if isOfTime { return "the time for \(title)" }
    if source == .interval { return "\"\(phrases[0].text)\" for \(title)" }
    return isOfLeft ? "how much is left of \(title)" : "that \(title) is at zero"
  }

  /// True if they are the time of day, for an alarm.
  public var isOfTime: Bool { phrases == [.time] }

  /// True if they say how much is left: the timer is not at zero yet.
  var isOfLeft: Bool { if case .left? = phrases.first { true } else { false } }

  public init(
    _ source: Cue.Source, title: String, _ phrases: [TimerPhrase], from: Duration, until: Duration,
    endsBy: Duration? = nil
  ) {
    self.source = source
    self.title = title
    self.phrases = phrases
    self.from = from
    self.until = until
    self.endsBy = endsBy
  }
}

/// Words that wait for their moment.
struct PendingWords: Hashable, Sendable {
  private(set) var all: [TimerWords] = []
  /// Why words wait although their moment has come.
  private var hindrances: [TimerWords: SkipReason] = [:]
  /// Words of the interval that were reported as not said, and why.
  private var told: Set<Unsaid> = []

  private struct Unsaid: Hashable {
    let phrase: TimerPhrase?
    let reason: String
  }

  /// Ignores words that wait already: a cue that is given again brings its words again.
  mutating func plan(_ words: TimerWords) { if !all.contains(words) { all.append(words) } }

  /// Notes why words wait although their moment has come.
  mutating func hinder(_ words: TimerWords, _ reason: SkipReason) { hindrances[words] = reason }

  /// Why these words waited last; nil if they did not.
  func hindrance(of words: TimerWords) -> SkipReason? { hindrances[words] }

  /// True if these words of the interval were not reported yet as not said for this reason.
  mutating func isNew(_ words: TimerWords, _ reason: SkipReason) -> Bool {
    // The last phrase is the one that all of a kind share, as work in every round.
    told.insert(Unsaid(phrase: words.phrases.last, reason: reason.key)).inserted
  }

  /// Another interval begins: what is not said of it is reported again.
  mutating func forgetTold() { told = [] }

  mutating func drop(of source: Cue.Source) { drop { $0.source == source } }

  mutating func drop(where isMeant: (TimerWords) -> Bool) {
    all.removeAll(where: isMeant)
    for words in hindrances.keys.filter(isMeant) { hindrances[words] = nil }
  }
}
