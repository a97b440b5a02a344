/// Words about a timer, an interval or an alarm. They wait until nothing else is said.
public struct TimerWords: Hashable, Sendable {
  public let source: Cue.Source
  public let title: String
  /// The voice says the first that it has words for.
  public let phrases: [TimerPhrase]
  /// When they may begin, since the machine started; after `until` they are dropped.
  public let from: Duration
  public let until: Duration
  /// When they must be over, since the machine started; nil for no limit.
  public var endsBy: Duration?

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
}
