extension StringProtocol {
  /// The beginning of the text that fits into so many columns of a terminal.
  public func prefix(columns: Int) -> SubSequence {
    var left = columns
    return prefix(while: { character in
      left -= character.unicodeScalars.reduce(0) { $0 + $1.columns }
      return left >= 0
    })
  }
}

extension Unicode.Scalar {
  /// At most how many columns a terminal gives it. Source: the wide and fullwidth characters of
  /// Unicode's East Asian Width (UAX #11), by blocks. wcwidth(3) knows only ASCII here: the
  /// programs run in the C locale.
  fileprivate var columns: Int {
    switch value {
    // It makes the symbol before it an emoji, which is wide.
    case 0xFE0F: return 1
    // Unlike other format characters these are seen, as wcwidth(3) of glibc 2.36 has them: the soft
    // hyphen, and the signs that stand over or under a number.
    case 0xAD, 0x600...0x605, 0x6DD, 0x70F, 0x890...0x891, 0x8E2, 0x110BD, 0x110CD: return 1
    default: break
    }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch value {
    case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
      0x16FE0...0x1B2FF, 0x1F000...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default: return properties.isEmojiPresentation ? 2 : 1
    }
  }
}
