import Basics
@preconcurrency import Glibc

/// Checks that a time zone file (RFC 9636) is whole: if glibc cannot read a file, it silently takes
/// UTC.
enum ZoneFile {
  enum Flaw: Equatable {
    /// It does not exist, or is not a zone file, or counts leap seconds (`right/` in the tz database).
    /// No computer's clock shows those, so every time would be wrong.
    case noZoneFile
    /// It exists and cannot be read, with this `errno`.
    case unreadable(Int32)
    case torn

    var words: String {
      switch self {
      case .noZoneFile: "it is no time zone file, or leads to none"
      case .unreadable(let code): "it cannot be read: \(Fault("", errno: code).detail)"
      case .torn: "the time zone file is torn; reinstall the package tzdata"
      }
    }
  }

  /// More than four times the largest file of the tz database.
  private static let mostBytes = 65_536

  static func flaw(of path: String) -> Flaw? {
    do throws(Fault) {
      return flaw(in: try readRegularFile(path, largest: mostBytes))
    } catch {
      // The code is 0 if the file is not a regular one, or is too large.
      return [0, ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG].contains(error.code)
        ? .noZoneFile : .unreadable(error.code)
    }
  }

  static func flaw(in bytes: [UInt8]) -> Flaw? {
    let magic = "TZif".utf8
    guard bytes.starts(with: magic) else { return .noZoneFile }
    var rest = bytes[...]
    // The first block, with times of 4 bytes, is for old programs. Files without a second one, of
    // version 1, are not in the database any more.
    for timeBytes in [4, 8] {
      let header = Array(rest.prefix(44))
      guard header.count == 44, header.starts(with: magic) else { return .torn }
      // The numbers of six kinds of entries, the most significant byte first.
      let counts = (0..<6).map {
        header[(20 + 4 * $0)..<(24 + 4 * $0)].reduce(0) { $0 << 8 | Int($1) }
      }
      let (leapSeconds, times, types) = (counts[2], counts[3], counts[4])
      if leapSeconds > 0 { return .noZoneFile }
      let size = times * (timeBytes + 1) + types * 6 + counts[5] + counts[1] + counts[0]
      guard rest.count >= 44 + size else { return .torn }
      rest = rest.dropFirst(44 + size)
    }
    // A line with the rule after the last time.
    let newline = UInt8(ascii: "\n")
    return rest.count > 1 && rest.first == newline && rest.last == newline ? nil : .torn
  }
}
