/// What is said of a timer, once nothing else is said.
public struct TimerWords: Hashable, Sendable {
  public let source: Cue.Source
  /// As in `timer "tea"`.
  public let title: String
  /// The first that the voice has words for is spoken.
  public let phrases: [TimerPhrase]
  /// From when on, since the machine started; after `until` they are dropped.
  public let from: Duration
  public let until: Duration
  /// When the last of them must be over, since the machine started; nil if they may take as long as
  /// they like.
  public let endsBy: Duration?

  /// What is said, for a reader: as in `how much is left of timer "tea"`.
  public var subject: String {
    if isOfTime { return "the time for \(title)" }
    if source == .interval { return "\"\(phrases[0].text)\" for \(title)" }
    return isOfLeft ? "how much is left of \(title)" : "that \(title) is at zero"
  }

  /// The time of day, for an alarm.
  var isOfTime: Bool { phrases == [.time] }

  /// It is not at zero yet.
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
