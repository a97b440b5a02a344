/// What rings until it is stopped, or is about to.
struct Ringing: Hashable, Sendable {
  let source: Cue.Source
  /// Since the machine started; it may be to come.
  let since: Duration
  /// How much quieter it is than it may be, in dB at most 0: it may be rising.
  var decibels = 0.0
  /// It rings with bells, and not with the signal.
  var hasTune = false

  /// True if the other is heard in place of this: the louder of two, of those the newer. Of two that
  /// begin together a tune is heard: it was chosen.
  fileprivate func givesWay(to other: Ringing) -> Bool {
    if decibels != other.decibels { return decibels < other.decibels }
    if since != other.since { return since < other.since }
    return !hasTune && other.hasTune
  }
}

/// Of all that ring, or are about to, one is heard at a time.
struct Rings {
  /// In the order in which they begin; `heard` is from then on, until the next begins.
  private let begun: [(ringing: Ringing, heard: Ringing)]

  init(_ ringing: [Ringing]) {
    var heard: Ringing?
    begun = ringing.sorted { $0.since < $1.since }.map { ringing in
      if heard.map({ $0.givesWay(to: ringing) }) ?? true { heard = ringing }
      return (ringing, heard ?? ringing)
    }
  }

  /// What is heard of those that ring at this moment, since the machine started.
  func heard(at moment: Duration) -> Cue.Source? {
    // There may be a thousand: half of them are left out at each step.
    var (low, high) = (0, begun.count)
    while low < high {
      let middle = (low + high) / 2
      if begun[middle].ringing.since <= moment { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? begun[low - 1].heard.source : nil
  }

  /// What rings at this moment.
  func sources(at moment: Duration) -> Set<Cue.Source> {
    Set(begun.prefix { $0.ringing.since <= moment }.map(\.ringing.source))
  }
}
