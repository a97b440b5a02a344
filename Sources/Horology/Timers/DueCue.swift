/// A cue that the player is to be given.
struct DueCue: Hashable, Sendable {
  let source: Cue.Source
  let signal: Signal
  /// In place of the signal.
  var blows: [Blow] = []
  /// Since the machine started.
  let anchor: Duration
  let mayBeLateBy: Duration
  /// How much quieter it is than the rules say, in dB at most 0.
  var decibels = 0.0

  /// From the last blow of a tune to the words, and from the words to the tune again.
  static let afterTune = Duration.seconds(3)
  /// From one ring to the next. The second is left out: then the words are said.
  static let ringPeriod = Duration.seconds(3)
  /// A cue that comes later than this has lost its sense: the next is near.
  static let latest = Duration.seconds(1)

  /// When the player is to be given it.
  func due(_ book: CueBook, _ rules: Rules) -> Duration {
    max(anchor - rules.preparation, book.restsUntil)
  }

  /// The next of the rings that began at `since`.
  /// - Parameter earliest: since the machine started.
  static func ring(
    _ source: Cue.Source, since: Duration, period: Duration = ringPeriod, from earliest: Duration
  ) -> DueCue {
    var count = max(earliest - since, .zero).periods(of: period)
    if count == 1 && period == ringPeriod { count = 2 }
    return DueCue(
      source: source, signal: .ring, anchor: since + period * count,
      mayBeLateBy: count == 0 ? ringPeriod : latest)
  }
}
