/// A source that rings until it is stopped, or is about to ring.
struct Ringing: Hashable, Sendable {
  let source: Cue.Source
  /// When the ring begins, since the machine started; may be to come.
  let since: Duration
  /// Level in dB relative to its full level, at most 0; lower while it rises.
  var decibels = 0.0
  /// True if it rings with the bells of a tune, not with the signal.
  var hasTune = false

  /// True if the other is heard instead of this: it is louder, or as loud and newer. If they begin
  /// together, a tune is heard, because a person chose it.
  fileprivate func givesWay(to other: Ringing) -> Bool {
    if decibels != other.decibels { return decibels < other.decibels }
    if since != other.since { return since < other.since }
    return !hasTune && other.hasTune
  }
}

/// All sources that ring, or are about to. One is heard at a time.
struct Rings {
  /// In the order in which they begin. `heard` is heard from then until the next begins.
  private let begun: [(ringing: Ringing, heard: Ringing)]

  init(_ ringing: [Ringing]) {
    var heard: Ringing?
    begun = ringing.sorted { $0.since < $1.since }.map { ringing in
      if heard.map({ $0.givesWay(to: ringing) }) ?? true { heard = ringing }
      return (ringing, heard ?? ringing)
    }
  }

  /// The source that is heard at this moment, since the machine started; nil if none rings.
  func heard(at moment: Duration) -> Cue.Source? {
    // A binary search, because there may be a thousand.
    var (low, high) = (0, begun.count)
    while low < high {
      let middle = (low + high) / 2
      if begun[middle].ringing.since <= moment { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? begun[low - 1].heard.source : nil
  }

  /// The sources that stop ringing at the ring limit before a ring of this moment would be over.
  func sources(endingBefore moment: Duration, after limit: Duration) -> Set<Cue.Source> {
    let latest = moment + DueCue.ringPeriod - limit
    return Set(begun.prefix { $0.ringing.since < latest }.map(\.ringing.source))
  }

  /// The sources that ring at this moment.
  func sources(at moment: Duration) -> Set<Cue.Source> {
    Set(begun.prefix { $0.ringing.since <= moment }.map(\.ringing.source))
  }
}
