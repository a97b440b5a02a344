import CLinux
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
  /// ISO 8601 with `Z` or an offset, as in `2026-11-22T15:00:00Z` or
  /// `2026-11-22T16:00:00.25+01:00`. Nil for anything else, and for years before 1970 or after 2199.
  public init?(text: String) {
    let bytes = Array(text.utf8)
    // strptime(3) would end there.
    guard !bytes.contains(0) else { return nil }
    let form = Array("0000-00-00T00:00:00".utf8)
    // strptime(3) also takes single digits and spaces.
    for (byte, mark) in zip(bytes, form) {
      guard mark == UInt8(ascii: "0") ? Self.isDigit(byte) : byte == mark else { return nil }
    }
    var micros: Int64 = 0
    var zone = bytes.dropFirst(form.count)
    if zone.first == UInt8(ascii: ".") {
      let digits = zone.dropFirst().prefix(while: Self.isDigit)
      guard (1...9).contains(digits.count) else { return nil }
      micros = Self.number((digits + Array("000000".utf8)).prefix(6))
      zone = zone.dropFirst(1 + digits.count)
    }
    guard let sign = zone.first, "Z+-".utf8.contains(sign) else { return nil }
    var date = tm()
    let isRead = String(decoding: bytes.prefix(form.count) + zone, as: UTF8.self).withCString {
      strptime($0, "%Y-%m-%dT%H:%M:%S%z", &date)?.pointee == 0
    }
    let (day, second, offset) = (date.tm_mday, date.tm_sec, Int64(date.tm_gmtoff))
    let seconds = Int64(timegm(&date)) - offset
    // timegm(3) takes 30 February for 2 March, and second 60 for the next minute.
    guard isRead, date.tm_mday == day, date.tm_sec == second,
      let micros = Self.within(seconds * 1_000_000 + micros)
    else { return nil }
    self.init(microseconds: micros)
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
