import Horology

extension VoicePack {
  /// The clips that say a phrase of a timer or an interval; nil if the pack has no words for it, or
  /// lacks one of them: then the signal sounds alone.
  public func phrase(of phrase: TimerPhrase) -> [Clip]? {
    if case .name(let name) = phrase { return clips(saying: name) }
    guard let names = timers.names(phrase).map(unchained) else { return nil }
    let found = names.compactMap { clips[$0] }
    return found.count == names.count && !found.isEmpty ? found : nil
  }

  /// One clip that says all of a text, or else one for each of its words; nil if there are none.
  private func clips(saying text: String) -> [Clip]? {
    let words = text.lowercased().split(whereSeparator: \.isWhitespace)
    guard !words.isEmpty else { return nil }
    // Of those that say the same, always the same one.
    let texts = Dictionary(
      clipNames.map { (clips[$0]!.text.lowercased(), clips[$0]!) }, uniquingKeysWith: { $1 })
    if let whole = texts[words.joined(separator: " ")] { return [whole] }
    let found = words.compactMap { texts[String($0)] }
    return found.count == words.count ? found : nil
  }

  /// True if it has a rule for something that is said of timers or intervals.
  public var hasTimers: Bool { !timers.isEmpty }

  /// The clip that a phrase lacks although there is a rule for it; nil if it lacks none.
  public func clipMissing(for phrase: TimerPhrase) -> String? {
    timers.names(phrase).map(unchained)?.first { clips[$0] == nil }
  }

  /// What it does not say of `TimerPhrase.range`; all of it, if it has no words of timers.
  public var phrasesUnsaid: [TimerPhrase] {
    TimerPhrase.range.filter { phrase(of: $0) == nil }
  }

  /// What is said of timers, for a reader.
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
