/// A moment that a person has set by a span of time, counted in true time.
struct Reckoned: Hashable {
  /// Since the history began.
  private var elapsed: Int64
  /// What the clock shows at that moment. After a power cut it counts until the clock is trusted.
  private var shown: Int64
  /// The power was cut, and the clock was not trusted since: the moment comes when the clock shows
  /// it.
  private(set) var followsClock = false
  /// How far it may be off: steps of the clock that are too small to be noticed.
  private(set) var slack: Int64 = 0

  init(_ span: Int64, after moment: Moment, slack: Int64 = 0) {
    self.slack = slack
    elapsed = moment.elapsed + span
    shown = moment.shown + span
  }

  func elapsed(_ moment: Moment) -> Int64 {
    followsClock ? moment.elapsed + shown - moment.shown : elapsed
  }

  /// How long ago it was; negative before it.
  func passed(_ moment: Moment) -> Int64 { moment.elapsed - elapsed(moment) }

  func shown(_ moment: Moment) -> Int64 { moment.shown - passed(moment) }

  func later(by span: Int64) -> Reckoned {
    var later = self
    later.elapsed += span
    later.shown += span
    return later
  }

  mutating func slip(_ step: Int64) { slack += abs(step) }

  mutating func powerCame(savedAt moment: Moment) {
    shown = shown(moment)
    followsClock = true
  }

  mutating func trusted(_ moment: Moment) {
    elapsed = elapsed(moment)
    followsClock = false
  }
}
