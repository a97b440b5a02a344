extension StringProtocol {
  /// A text as errors quote it: at most its first 40 code points, because a character may have any
  /// number of accents. Characters that steer a terminal are written as numbers, as in `\u{1B}`.
  public var shortened: String {
    let scalars = String(self).unicodeScalars
    let quoted = scalars.prefix(40).map {
      $0.steersTerminals ? "\\u{\(String($0.value, radix: 16, uppercase: true))}" : String($0)
    }
    return quoted.joined() + (scalars.count > 40 ? "..." : "")
  }
}

extension Unicode.Scalar {
  /// True for control characters, for line separators, and for characters that change the
  /// direction of text.
  var steersTerminals: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
    }
  }
}
