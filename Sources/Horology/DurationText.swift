extension Duration {
  /// A duration as configuration files write it: a whole number and `ms`, `s`, `min` or `h`,
  /// as in `30ms` or `10s`; a leading minus is allowed. Nil for anything else, and for anything
  /// longer than a year.
  public init?(text: some StringProtocol) {
    let unit = text.drop { $0 == "-" || $0.isASCIIDigit }
    // The magnitude, for of the least number of all there is no absolute value.
    guard let count = Int64(text.prefix(text.count - unit.count)),
      count.magnitude <= 31_536_000_000
    else { return nil }
    switch unit {
    case "ms": self = .milliseconds(count)
    case "s": self = .seconds(count)
    case "min": self = .seconds(count * 60)
    case "h": self = .seconds(count * 3600)
    default: return nil
    }
    guard magnitude <= .seconds(31_536_000) else { return nil }
  }
}

extension Character {
  var isASCIIDigit: Bool {
    ("0"..."9").contains(self)
  }
}
