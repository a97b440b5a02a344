@preconcurrency import Glibc

extension String {
  /// With spaces behind it, if it is shorter.
  public func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(width - count, 0))
  }

  /// Safe for a terminal: characters that would control one, or are not visible, are written as
  /// their numbers, as in `\u{1B}`.
  public var printable: String {
    printable { "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
  }

  /// The same for a text of several lines, which stay lines.
  var printableLines: String {
    printable { $0 == "\n" ? "\n" : String($0).printable }
  }

  /// - Parameter told: how a character that is not printable is written.
  func printable(_ told: (Unicode.Scalar) -> String) -> String {
    // Most texts are plain, and the properties of a character are slow to look up.
    if utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return self }
    return unicodeScalars.map { $0.isPrintable ? String($0) : told($0) }.joined()
  }
}

extension StringProtocol {
  /// A text of times, lengths or levels as ASCII has it, however it was typed: dashes and minus
  /// signs, all kinds of spaces, full-width forms. No space is around it.
  public var plain: String {
    // Most texts are plain, and the properties of a character are slow to look up.
    if utf8.allSatisfy({ (0x21...0x7E).contains($0) }) { return String(self) }
    var scalars = String.UnicodeScalarView()
    for scalar in unicodeScalars where scalar.properties.generalCategory != .format {
      switch scalar.value {
      case 0x2010...0x2015, 0x2212, 0xFE58, 0xFE63: scalars.append("-")
      case 0x2236: scalars.append(":")
      case 0xFF01...0xFF5E: scalars.append(Unicode.Scalar(scalar.value - 0xFEE0)!)
      default: scalars.append(scalar.properties.isWhitespace ? " " : scalar)
      }
    }
    var text = String(scalars).drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return String(text)
  }

  /// Nil for anything but a yes or a no, as people type them.
  public var isYes: Bool? {
    ["yes": true, "on": true, "true": true, "no": false, "off": false, "false": false][lowercased()]
  }

  /// Without a pair of quotes around it, straight or curly.
  var unquoted: String {
    let isQuoted = ["\"\"", "''", "“”", "„“", "””", "‘’", "‚‘", "’’"].contains {
      first == $0.first && last == $0.last
    }
    return isQuoted && count > 1 ? String(dropFirst().dropLast()) : String(self)
  }

  /// The part of a text that an error quotes: at most its first 40 code points, because a character
  /// may have any number of accents.
  public var excerpt: String {
    let text = String(self)
    let end = text.unicodeScalars.prefix(40).endIndex
    return end == text.endIndex ? text : "\(text[..<end])..."
  }

  /// The same, safe for a terminal.
  public var shortened: String { excerpt.printable }
}

extension Sequence<UInt8> {
  /// Two digits for each byte, as in `0aff`.
  public var hexadecimal: String {
    map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

extension Unicode.Scalar {
  public var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator:
      false
    case .spaceSeparator: self == " "
    default: true
    }
  }
}

/// The end of a sentence about a word that is unknown: as in `; the nearest is 'say'`, or empty if
/// none of the known words is near. `voice` alone also finds `announce.voice`.
public func nearest(to word: String, of known: some Sequence<String>) -> String {
  let letters = Array(word.lowercased().prefix(40))
  let found = known.flatMap { name in
    [name[...], name.split(separator: ".").last ?? ""].map { part in
      (name, Array(part.lowercased()).difference(from: letters).count)
    }
  }.min { $0.1 < $1.1 }
  // A letter that is another one, or that stands elsewhere, counts twice.
  guard let found, found.1 <= max(letters.count / 3, 1) * 2, found.1 < letters.count else {
    return ""
  }
  return "; the nearest is '\(found.0)'"
}

extension Double {
  /// `inf` or `-inf` if its magnitude is 1e9 or more; `inf` if it is not a number.
  /// - Parameter rule: `.up` for a number over a limit that is told with it, and `.down` for one
  ///   under it, so that the two never look equal.
  public func text(
    decimals: Int, _ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero
  ) -> String {
    let scale = pow(10, Double(decimals))
    guard magnitude < 1e9 else { return self < 0 ? "-inf" : "inf" }
    let rounded = Int((self * scale).rounded(rule))
    let fraction = String(rounded.magnitude % UInt(scale))
    let whole = "\(rounded < 0 ? "-" : "")\(rounded.magnitude / UInt(scale))"
    if decimals == 0 { return whole }
    return "\(whole).\(String(repeating: "0", count: decimals - fraction.count))\(fraction)"
  }
}

/// The path of a voice or a tune that means another place in each folder: the service runs in another
/// one than `check` does.
public struct RelativePath: Error, CustomStringConvertible {
  /// Nil for a full path, and for a name.
  public init?(_ value: String) {
    guard value.contains("/"), !value.hasPrefix("/") else { return nil }
  }

  public var description: String {
    "this path depends on the folder in which the clock starts; write the full path, which begins "
      + "with /"
  }
}
