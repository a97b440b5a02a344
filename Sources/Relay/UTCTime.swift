@preconcurrency import Glibc

/// An instant of UTC, in microseconds since 1970, as on the announcer's bus.
public struct UTCTime: Hashable, Comparable, Sendable {
  public let microseconds: Int64

  /// From 1970 to 2200, as everywhere in this program.
  static let allowed = 0...Int64(7_258_118_400_000_000)

  public init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// Reads `CLOCK_REALTIME`.
  public static var now: UTCTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UTCTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }

  var isFullMinute: Bool { microseconds % 60_000_000 == 0 }

  public static func < (left: UTCTime, right: UTCTime) -> Bool {
    left.microseconds < right.microseconds
  }

  public static func - (left: UTCTime, right: UTCTime) -> Duration {
    .microseconds(left.microseconds - right.microseconds)
  }

  public static func + (time: UTCTime, span: Duration) -> UTCTime {
    let (seconds, attoseconds) = span.components
    return UTCTime(
      microseconds: time.microseconds + seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
  }
}

// MARK: As text

extension UTCTime {
  /// ISO 8601 with a `Z`, as in `2026-11-22T15:00:00Z` or `2026-11-22T15:00:00.25Z`. Nil for
  /// anything else, and for years before 1970 or after 2199.
  public init?(text: String) {
    let bytes = Array(text.utf8)
    let form = Array("0000-00-00T00:00:00".utf8)
    guard bytes.count > form.count, bytes.last == UInt8(ascii: "Z") else { return nil }
    for (byte, mark) in zip(bytes, form) {
      guard mark == UInt8(ascii: "0") ? Self.isDigit(byte) : byte == mark else { return nil }
    }
    var micros: Int64 = 0
    let fraction = bytes[form.count..<(bytes.count - 1)]
    if let point = fraction.first {
      let digits = fraction.dropFirst()
      guard point == UInt8(ascii: "."), (1...9).contains(digits.count),
        digits.allSatisfy(Self.isDigit)
      else { return nil }
      micros = Self.number(Array((digits + Array("000000".utf8)).prefix(6)))
    }
    var date = tm()
    date.tm_year = Int32(Self.number(bytes[0..<4]) - 1900)
    date.tm_mon = Int32(Self.number(bytes[5..<7]) - 1)
    date.tm_mday = Int32(Self.number(bytes[8..<10]))
    date.tm_hour = Int32(Self.number(bytes[11..<13]))
    date.tm_min = Int32(Self.number(bytes[14..<16]))
    date.tm_sec = Int32(Self.number(bytes[17..<19]))
    let seconds = timegm(&date)
    guard let micros = Self.within(Int64(seconds) * 1_000_000 + micros) else { return nil }
    self.init(microseconds: micros)
    // timegm(3) takes 30 February for 2 March: compare the result with the input.
    guard Array(self.text.utf8).starts(with: bytes.prefix(form.count)) else { return nil }
  }

  /// Seconds since 1970, as `date +%s.%N` prints them. Nil before 1970 and after 2199.
  public init?(seconds: Double) {
    guard seconds.isFinite, let micros = Self.within(Int64(exactly: (seconds * 1e6).rounded()))
    else { return nil }
    self.init(microseconds: micros)
  }

  /// As in `2026-11-22T15:00:00Z`, with a fraction only if there is one.
  public var text: String {
    var seconds = time_t(microseconds / 1_000_000)
    var date = tm()
    gmtime_r(&seconds, &date)
    let day = [date.tm_year + 1900, date.tm_mon + 1, date.tm_mday].map(Self.padded)
    let time = [date.tm_hour, date.tm_min, date.tm_sec].map(Self.padded)
    let rest = microseconds % 1_000_000
    let fraction = rest == 0 ? "" : ".\(String(rest + 1_000_000).dropFirst())"
    return "\(day.joined(separator: "-"))T\(time.joined(separator: ":"))\(fraction)Z"
  }

  private static func within(_ microseconds: Int64?) -> Int64? {
    microseconds.flatMap { allowed.contains($0) ? $0 : nil }
  }

  private static func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func number(_ digits: some Sequence<UInt8>) -> Int64 {
    digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
  }
}
