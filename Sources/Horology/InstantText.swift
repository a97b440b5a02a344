import Basics

extension Instant {
  /// The instants that a record may hold: the seconds of `CivilDate.years` in UTC.
  public static let allowed = Instant(seconds: 0)...Instant(seconds: 7_289_654_399)

  /// Since 1970. Instants that are not allowed become the first or the last that is.
  public init(microseconds: Int64) {
    let (first, last) = (Self.allowed.lowerBound, Self.allowed.upperBound)
    nanoseconds = min(max(microseconds, first.microseconds), last.microseconds) * 1000
  }

  /// Since 1970.
  public var microseconds: Int64 { nanoseconds / 1000 }

  /// As RFC 3339 in UTC, to the microsecond: `2026-11-22T15:00:00Z`, or `2026-11-22T15:00:00.25Z`.
  /// Instants that are not allowed become the first or the last that is.
  public var rfc3339: String {
    let instant = min(max(self, Self.allowed.lowerBound), Self.allowed.upperBound)
    var fraction = String(instant.nanoseconds / 1000 % 1_000_000 + 1_000_000).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    let point = fraction.isEmpty ? "" : "."
    return "\(CivilTime(at: instant, utcOffsetSeconds: 0).dateTime)\(point)\(fraction)Z"
  }

  /// Parses RFC 3339, with `Z` or an offset, as in `2026-11-22T16:00:00.25+01:00`; what is finer than
  /// a microsecond is dropped. A space may stand for the T, and the offset may be `+0100` or `+01`.
  /// Nil for anything else, and for an instant that is not allowed.
  public init?(rfc3339 text: String) {
    // `T` and `Z` may be small.
    let text = text.plain.uppercased()
    guard let civil = CivilDateTime(text: text.prefix(19)), text.utf8.count > 19 else { return nil }
    var rest = text.dropFirst(19)
    var microseconds: Int64 = 0
    if let point = rest.first, ".,".contains(point) {
      let digits = rest.dropFirst().prefix(while: \.isASCIIDigit)
      guard !digits.isEmpty else { return nil }
      let padded = (digits + "00000").prefix(6)
      microseconds = Int64(padded)!
      rest = rest.dropFirst(1 + digits.count)
    }
    var offset = 0
    rest = rest.drop { $0 == " " }
    if rest != "Z" {
      let (hours, minutes) = (rest.dropFirst().prefix(2), rest.dropFirst(3))
      let written = "\(hours):\(minutes.isEmpty ? "00" : minutes.drop { $0 == ":" })"
      guard let sign = rest.first, sign == "+" || sign == "-",
        let parts = CivilDateTime.numbers(written, separator: ":", digits: [2, 2]),
        parts[0] < 24, parts[1] < 60
      else { return nil }
      offset = (parts[0] * 3600 + parts[1] * 60) * (sign == "-" ? -1 : 1)
    }
    self = Instant(utc: civil) - .seconds(offset) + .microseconds(microseconds)
    guard Self.allowed.contains(self) else { return nil }
  }
}

extension Key where Meaning == Instant {
  /// As RFC 3339, in UTC where it is written.
  public static func instant(_ name: String) -> Key {
    .parsed(
      name, allowed: "an instant, as 2026-12-24T18:00:00Z", as: { $0.rfc3339 },
      { Instant(rfc3339: $0) })
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
