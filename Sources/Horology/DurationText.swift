/// How people write spans of time: hours, minutes, seconds and milliseconds, each at most once and
/// in this order, as in `8h`, `1h30m` or `30ms`.
extension Duration {
  private static let millisecondsOfUnits: [(name: String, milliseconds: Int64)] = [
    ("h", 3_600_000), ("min", 60_000), ("ms", 1), ("m", 60_000), ("s", 1000),
  ]
  private static let longest = Duration.seconds(31_536_000)
  private static let longestOfTimers = Duration.seconds(36_525 * 86_400)

  /// A duration as configuration files write it, as in `30ms`, `10s`, `5min` or `8h30m`. A leading
  /// minus is allowed. Nil for anything else, and for anything longer than a year.
  public init?(text: some StringProtocol) {
    let isNegative = text.first == "-"
    guard let span = Self.sum(text.dropFirst(isNegative ? 1 : 0)), span <= Self.longest else {
      return nil
    }
    self = isNegative ? .zero - span : span
  }

  /// The length of a timer, in whole seconds: as in `10m`, `90s` or `1h30m`. Nil for anything else,
  /// and for anything longer than a century.
  public init?(timer text: some StringProtocol) {
    guard let span = Self.sum(text[...], least: 1000), span <= Self.longestOfTimers else {
      return nil
    }
    self = span
  }

  /// - Parameter least: the smallest unit that is allowed, in milliseconds.
  private static func sum(
    _ text: some StringProtocol, least: Int64 = 1
  ) -> Duration? {
    var rest = Substring(text)
    var milliseconds: Int64 = 0
    var units = millisecondsOfUnits.filter { $0.milliseconds >= least }
    guard !rest.isEmpty else { return nil }
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCIIDigit }
      rest = rest.dropFirst(digits.count)
      // A year in milliseconds has 11 digits.
      guard let count = Int64(digits), digits.count <= 11,
        let unit = units.first(where: { rest.hasPrefix($0.name) })
      else { return nil }
      rest = rest.dropFirst(unit.name.count)
      milliseconds += count * unit.milliseconds
      units = units.filter { $0.milliseconds < unit.milliseconds }
    }
    return .milliseconds(milliseconds)
  }
}

extension Character {
  var isASCIIDigit: Bool {
    // "2" with an accent is one character, and lies in the range too.
    isASCII && ("0"..."9").contains(self)
  }
}

extension Duration {
  /// To the second, rounded up, as a countdown shows it: `1 h 5 min 30 s`.
  public var roundedUp: String {
    upToSecond.inFull
  }

  private var upToSecond: Duration { .seconds((max(nanoseconds, 0) + 999_999_999) / 1_000_000_000) }

  /// How much of a length is left, as a countdown shows it, but never more than the length:
  /// `4 min left of 10 min`, `1.5 s left of 1.5 s`.
  public func left(of length: Duration) -> String {
    "\(min(upToSecond, length).inFull) left of \(length.inFull)"
  }

  /// To the millisecond, as `init(text:)` reads it: `1h30min` or `1s500ms`.
  public var asWritten: String {
    let total = (max(nanoseconds, 0) + 500_000) / 1_000_000
    let parts = [
      (total / 3_600_000, "h"), (total / 60_000 % 60, "min"), (total / 1000 % 60, "s"),
      (total % 1000, "ms"),
    ]
    let words = parts.filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }
    return words.isEmpty ? "0s" : words.joined()
  }

  /// To the millisecond, for a length that a person asked for: `1 h 30 min` or `1.5 s`.
  public var inFull: String {
    let total = (max(nanoseconds, 0) + 500_000) / 1_000_000
    let (minutes, rest) = (total / 60_000, total % 60_000)
    var fraction = "\(1000 + rest % 1000)".dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    let seconds = "\(rest / 1000)" + (fraction.isEmpty ? "" : ".\(fraction)")
    let parts = [
      (minutes / 60, "\(minutes / 60) h"), (minutes % 60, "\(minutes % 60) min"),
      (rest, "\(seconds) s"),
    ]
    let words = parts.filter { $0.0 > 0 }.map(\.1)
    return words.isEmpty ? "0 s" : words.joined(separator: " ")
  }
}

extension Duration {
  /// The duration as a person says it, in its two largest units: `7 min 28 s`, `3 h 5 min`.
  public var inWords: String {
    let total = nanoseconds / 1_000_000_000
    let units: [(Int64, String)] = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")]
    guard let largest = units.firstIndex(where: { total >= $0.0 }) else { return "0 s" }
    let (size, name) = units[largest]
    let first = "\(total / size) \(name)"
    guard largest + 1 < units.count else { return first }
    let (smaller, smallerName) = units[largest + 1]
    let rest = total % size / smaller
    return rest == 0 ? first : "\(first) \(rest) \(smallerName)"
  }

  /// Without a sign, to a tenth of a second: `12 ms`, `1.3 s`, and from a minute on in words.
  public var roughly: String {
    let span = magnitude
    if span < .milliseconds(950) { return "\((span.nanoseconds + 999_999) / 1_000_000) ms" }
    let tenths = (span.nanoseconds + 50_000_000) / 100_000_000
    return tenths < 600 ? "\(tenths / 10).\(tenths % 10) s" : span.inWords
  }
}
