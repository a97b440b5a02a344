import Horology

extension VoicePack {
  /// The clips that say a phrase of a timer or an interval. Nil if the pack has no words for it, or
  /// lacks one of the clips: then the signal sounds alone.
  public func phrase(of phrase: TimerPhrase) -> [Clip]? {
    if case .name(let name) = phrase { return clips(saying: name) }
    guard let names = timers.names(phrase).map(unchained) else { return nil }
    let found = names.compactMap { clips[$0] }
    return found.count == names.count && !found.isEmpty ? found : nil
  }

  /// The words of that phrase, for a reader; nil if the pack cannot say it.
  public func text(of phrase: TimerPhrase) -> String? {
    guard let clips = self.phrase(of: phrase) else { return nil }
    return timers.names(phrase).map(written) ?? clips.map(\.text).joined(separator: " ")
  }

  /// One clip that says all of a text, or else one for each of its words; nil if there are none.
  private func clips(saying text: String) -> [Clip]? {
    let words = text.lowercased().split(whereSeparator: \.isWhitespace)
    guard !words.isEmpty else { return nil }
    // If several clips have the same text, always take the same one.
    let texts = Dictionary(
      clipNames.map { (clips[$0]!.text.lowercased(), clips[$0]!) }, uniquingKeysWith: { $1 })
    if let whole = texts[words.joined(separator: " ")] { return [whole] }
    let found = words.compactMap { texts[String($0)] }
    return found.count == words.count ? found : nil
  }

  /// True if it has any rule for timers or intervals.
  public var hasTimers: Bool { !timers.isEmpty }

  /// The clips that are missing for a phrase, in the order in which they are said; none if the
  /// phrase has no rule.
  public func clipsMissing(for phrase: TimerPhrase) -> [String] {
    (timers.names(phrase).map(unchained) ?? []).filter { clips[$0] == nil }
  }

  /// The first phrase of `TimerPhrase.range` that is said like another, in a sentence; nil if there
  /// is none.
  public var timersAlike: String? {
    var said: [[Clip]: TimerPhrase] = [:]
    for phrase in TimerPhrase.range {
      guard let clips = self.phrase(of: phrase) else { continue }
      if let other = said.updateValue(phrase, forKey: clips) {
        return "'\(phrase.text)' is said as '\(other.text)' is"
      }
    }
    return nil
  }

  /// The phrases of `TimerPhrase.range` that it cannot say; all of them if it has no words for
  /// timers.
  public var phrasesUnsaid: [TimerPhrase] {
    TimerPhrase.range.filter { phrase(of: $0) == nil }
  }

  /// Which phrases of timers it can say, for a reader.
  public var timersText: String {
    let unsaid = phrasesUnsaid
    guard let first = unsaid.first else { return "says timers and intervals" }
    if unsaid.count == TimerPhrase.range.count {
      return "has no words of timers, which give a signal alone"
    }
    let more = unsaid.count > 1 ? " and \(unsaid.count - 1) phrases more" : ""
    return "has no words of timers for '\(first.text)'\(more), for which a signal sounds alone"
  }
}
