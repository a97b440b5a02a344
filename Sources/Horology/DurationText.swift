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

extension Duration {
  /// The length of a timer as a person writes it: hours, minutes and seconds, each at most once and
  /// in this order, as in `10m`, `90s` or `1h30m`. Nil for anything else.
  public init?(timer text: some StringProtocol) {
    var rest = text[...]
    var seconds: Int64 = 0
    var units: [(name: String, seconds: Int64)] = [("h", 3600), ("min", 60), ("m", 60), ("s", 1)]
    guard !rest.isEmpty else { return nil }
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCIIDigit }
      rest = rest.dropFirst(digits.count)
      // More digits than any length has that is allowed.
      guard let count = Int64(digits), digits.count <= 9,
        let index = units.firstIndex(where: { rest.hasPrefix($0.name) })
      else { return nil }
      let unit = units[index]
      rest = rest.dropFirst(unit.name.count)
      seconds += count * unit.seconds
      units = units.filter { $0.seconds < unit.seconds }
    }
    self = .seconds(seconds)
  }
}

extension Duration {
  /// To the second, rounded up, as a countdown shows it: `1 h 5 min 30 s`.
  public var exactly: String {
    let total = (max(nanoseconds, 0) + 999_999_999) / 1_000_000_000
    let parts = [(total / 3600, "h"), (total / 60 % 60, "min"), (total % 60, "s")]
    let words = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return words.isEmpty ? "0 s" : words.joined(separator: " ")
  }
}
