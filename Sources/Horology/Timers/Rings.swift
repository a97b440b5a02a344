struct Ringing: Hashable, Sendable {
  let source: Cue.Source
  /// When the ring begins, since the machine started; may be to come.
  let since: Duration
  /// Level in dB relative to its full level, at most 0; lower while it rises.
  var decibels = 0.0
  var hasTune = false

  /// Rings that begin within this time begin together: cut off at once, one would be a stutter.
  private static let together = Duration.seconds(1)

  /// True if one that begins later is heard instead: it is louder, or as loud and newer. If they
  /// begin together, a tune is heard, because a person chose it.
  fileprivate func givesWay(to other: Ringing) -> Bool {
    if decibels != other.decibels { return decibels < other.decibels }
    if other.since - since >= Self.together { return true }
    return !hasTune && other.hasTune
  }
}

/// All that rings, or is about to. One is heard at a time.
struct Rings {
  /// In the order in which they begin. `heard` is heard from then until the next begins.
  private let begun: [(since: Duration, heard: Ringing)]

  init(_ ringing: [Ringing]) {
    var heard: Ringing?
    begun = ringing.sorted { $0.since < $1.since }.map { ringing in
      if heard.map({ $0.givesWay(to: ringing) }) ?? true { heard = ringing }
      return (ringing.since, heard ?? ringing)
    }
  }

  /// The source that is heard at this moment, since the machine started; nil if none rings.
  func heard(at moment: Duration) -> Cue.Source? {
    begun.last { $0.since <= moment }?.heard.source
  }

  /// Those that are heard from this moment on, in order, each until the next begins.
  func heard(from moment: Duration) -> [Ringing] {
    var heard: [Ringing] = []
    for (since, ringing) in begun where heard.last?.source != ringing.source {
      if since <= moment { heard = [] }
      heard.append(ringing)
    }
    return heard
  }
}
