import Basics

/// How people write spans of time: hours, minutes, seconds and milliseconds, each at most once and
/// in this order, as in `8h`, `1h30m` or `30ms`.
extension Duration {
  private static let units: [(names: Set<Substring>, milliseconds: Int64)] = [
    (["h", "hr", "hrs", "hour", "hours"], 3_600_000),
    (["min", "m", "mins", "minute", "minutes"], 60_000),
    (["s", "sec", "secs", "second", "seconds"], 1000), (["ms"], 1),
  ]
  private static let longest = Duration.seconds(31_536_000)

  /// A duration as people write it, as in `30ms`, `10s`, `5 min`, `8h30m` or `0:05:00`. A leading
  /// minus is allowed. Nil for anything else, and for anything longer than a year. `4:00` is nothing:
  /// it could be minutes or hours.
  public init?(text: some StringProtocol) {
    let text = text.plain.lowercased()
    let isNegative = text.first == "-"
    var rest = text.dropFirst(isNegative ? 1 : 0)
    var milliseconds: Int64 = 0
    var units = Self.units
    let hours = min(max(rest.count - 6, 1), 3)
    if let fields = CivilDateTime.numbers(rest, separator: ":", digits: [hours, 2, 2]) {
      guard fields[1] < 60, fields[2] < 60 else { return nil }
      milliseconds = Int64((fields[0] * 60 + fields[1]) * 60 + fields[2]) * 1000
      rest = ""
    } else if rest.isEmpty {
      return nil
    }
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCIIDigit }
      let name = rest.dropFirst(digits.count).drop { $0 == " " }.prefix { $0.isLetter }
      // A year in milliseconds has 11 digits.
      guard let count = Int64(digits), digits.count <= 11,
        let unit = units.first(where: { $0.names.contains(name) })
      else { return nil }
      rest = rest[name.endIndex...].drop { $0 == " " }
      milliseconds += count * unit.milliseconds
      units = units.filter { $0.milliseconds < unit.milliseconds }
    }
    guard .milliseconds(milliseconds) <= Self.longest else { return nil }
    self = .milliseconds(isNegative ? -milliseconds : milliseconds)
  }

  /// The length of a timer, in whole seconds: as in `10m`, `90s` or `1h30m`. Nil for anything else.
  public init?(timer text: some StringProtocol) {
    guard let length = Duration(text: text), length >= .zero,
      length.nanoseconds % 1_000_000_000 == 0
    else { return nil }
    self = length
  }
}

extension Key where Meaning == Duration {
  /// A length that somebody gives: a number of seconds, or a text as it is typed, `4 min`.
  static func given(_ name: String, _ range: ClosedRange<Duration>) -> Key {
    let seconds = Key.seconds(name, range)
    return Key(
      name, allowed: seconds.allowed, write: seconds.write,
      read: { value in
        let typed = value.text.flatMap { Duration(text: $0) }
        return seconds.read(value) ?? typed.flatMap { range.contains($0) ? $0 : nil }
      })
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
  public var roundedUp: String { upToSecond.inFull }

  private var upToSecond: Duration { .seconds((max(nanoseconds, 0) + 999_999_999) / 1_000_000_000) }

  /// How much of a length is left, as a countdown shows it, but never more than the length:
  /// `4 min left of 10 min`.
  public func left(of length: Duration) -> String {
    "\(min(upToSecond, length).inFull) left of \(length.inFull)"
  }

  /// To the millisecond, for a length that a person asked for: `1 h 30 min` or `1 s 500 ms`.
  public var inFull: String { text(in: ["h": 3_600_000, "min": 60_000, "s": 1000, "ms": 1]) }

  /// The same as `init(text:)` reads it: `1h30min` or `1s500ms`.
  public var asWritten: String { inFull.filter { $0 != " " } }

  /// The duration as a person says it, in its two largest units: `7 min 28 s`, `3 h 5 min`.
  public var inWords: String {
    text(in: ["d": 86_400_000, "h": 3_600_000, "min": 60_000, "s": 1000], most: 2)
  }

  /// - Parameters:
  ///   - units: with their milliseconds, the largest first.
  ///   - most: how many of them count, from the largest that it has.
  private func text(in units: KeyValuePairs<String, Int64>, most: Int = .max) -> String {
    var rest = max(nanoseconds, 0) / 1_000_000
    let counts = units.map { unit, milliseconds in
      defer { rest %= milliseconds }
      return (count: rest / milliseconds, unit: unit)
    }
    let told = counts.drop { $0.count == 0 }.prefix(most).filter { $0.count > 0 }
    return told.isEmpty ? "0 s" : told.map { "\($0.count) \($0.unit)" }.joined(separator: " ")
  }

  /// Without a sign, to a tenth of a second: `12 ms`, `1.3 s`, and from a minute on in words.
  public var roughly: String {
    let span = magnitude
    if span < .milliseconds(950) { return "\((span.nanoseconds + 999_999) / 1_000_000) ms" }
    let tenths = (span.nanoseconds + 50_000_000) / 100_000_000
    return tenths < 600 ? "\(tenths / 10).\(tenths % 10) s" : span.inWords
  }
}
