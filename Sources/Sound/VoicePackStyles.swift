import Basics
import Horology

/// The styles of a voice: the ways in which it puts a time into words.
extension VoicePack {
  /// Every wording that it has rules for, without opening words. They are grouped by clock, with
  /// the digital style first.
  public var wordings: [Wording] {
    HourFormat.allCases.flatMap { format in
      let others = (grammars[format] ?? [:]).keys.filter { $0 != Wording.digital }.sorted()
      let digital = grammars[format]?[Wording.digital].map { _ in Wording.digital }
      return ([digital].compactMap { $0 } + others).map { Wording(format, style: $0) }
    }
  }

  /// The styles that it has, each once, the digital one first.
  public var styles: [String] {
    var styles: [String] = []
    for wording in wordings where !styles.contains(wording.style) { styles.append(wording.style) }
    return styles
  }

  /// The clocks that it has rules for, in any style.
  public var formats: [HourFormat] {
    HourFormat.allCases.filter { grammars[$0]?.isEmpty == false }
  }

  /// True if it has words that open a sentence, as in "it is".
  public var hasOpening: Bool { !opening.isEmpty }

  /// Why it cannot speak by this clock in this style, with the styles that it has; nil if it can.
  public func flaw(ofStyle wording: Wording) -> String? {
    if wordings.contains(where: { $0.format == wording.format && $0.style == wording.style }) {
      return nil
    }
    if let other = formats.first, !formats.contains(wording.format) {
      return "the voice \(path) has no words for clock = \(wording.format.rawValue); "
        + "set clock = \(other.rawValue), or another voice"
    }
    let clocks = HourFormat.allCases.compactMap { format -> String? in
      let styles = wordings.filter { $0.format == format }.map(\.style)
      guard !styles.isEmpty else { return nil }
      return "\(styles.joined(separator: ", ")) for clock = \(format.rawValue)"
    }
    let there = clocks.isEmpty ? "nothing" : clocks.joined(separator: ", and ")
    return "the voice \(path) has no style '\(wording.style.excerpt)' for "
      + "clock = \(wording.format.rawValue): it has \(there); set one of these, or another voice"
  }

  /// Why it cannot open a sentence; nil if it can.
  public var flawOfOpening: String? {
    hasOpening
      ? nil
      : "the voice \(path) has no words for it ('opening' in its voice.conf); "
        + "set say_it_is = no, or another voice"
  }
}

extension Wording {
  /// The section of `voice.conf` that has its rules.
  public var section: String {
    style == Wording.digital ? "[clock \(format.rawValue)]" : "[clock \(format.rawValue) \(style)]"
  }

  /// Clock and style, for a reader.
  public var name: String {
    "\(format.rawValue) hours" + (style == Wording.digital ? "" : " \(style)")
  }
}
