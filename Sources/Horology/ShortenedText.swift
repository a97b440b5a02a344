extension StringProtocol {
  /// What an error quotes of a text: at most its first 40 code points, for a character may have any
  /// number of accents. What would steer a terminal is written as its number, as in `\u{1B}`.
  public var shortened: String {
    let scalars = String(self).unicodeScalars
    let quoted = scalars.prefix(40).map {
      $0.steersTerminals ? "\\u{\(String($0.value, radix: 16, uppercase: true))}" : String($0)
    }
    return quoted.joined() + (scalars.count > 40 ? "..." : "")
  }
}

extension Unicode.Scalar {
  /// True for what ends a line or turns it round, besides all other control characters.
  var steersTerminals: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
    }
  }
}
