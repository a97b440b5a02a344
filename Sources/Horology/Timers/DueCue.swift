/// A cue to be given to the player.
struct DueCue: Hashable, Sendable {
  let source: Cue.Source
  let signal: Signal
  /// Sound instead of the signal; empty for the signal.
  var blows: [Blow] = []
  /// Since the machine started.
  let anchor: Duration
  let mayBeLateBy: Duration
  /// How much quieter it is than the rules say, in dB at most 0.
  var decibels = 0.0

  /// From the last blow of a tune to the words, and from the words to the tune again.
  static let afterTune = Duration.seconds(3)
  /// From one ring to the next. The second is left out, because the words are said then.
  static let ringPeriod = Duration.seconds(3)
  /// A cue later than this is dropped, because the next one is near.
  static let latest = Duration.seconds(1)

  /// When to give it to the player, since the machine started.
  func due(_ book: CueBook, _ rules: Rules) -> Duration {
    max(anchor - rules.preparation, book.restsUntil)
  }

  /// The next of the rings that began at `since`.
  /// - Parameter earliest: since the machine started.
  static func ring(
    _ source: Cue.Source, since: Duration, from earliest: Duration
  ) -> DueCue {
    var count = max(earliest - since, .zero).periods(of: ringPeriod)
    if count == 1 { count = 2 }
    return DueCue(
      source: source, signal: .ring, anchor: since + ringPeriod * count,
      mayBeLateBy: count == 0 ? ringPeriod : latest)
  }
}
