import Basics
@preconcurrency import Glibc

/// Checks that a time zone file (RFC 9636) is whole: if glibc cannot read a file, it silently takes
/// UTC.
enum ZoneFile {
  enum Flaw: Equatable {
    /// It does not exist, or is not a zone file.
    case noZoneFile
    /// It exists and cannot be read, with this `errno`.
    case unreadable(Int32)
    case torn
    /// It counts this many leap seconds (`right/` in the tz database). No computer's clock shows
    /// them, so every time would be wrong.
    case countsLeapSeconds(Int)

    var words: String {
      switch self {
      case .noZoneFile: "it is no time zone file"
      case .unreadable(let code): "it cannot be read: \(Fault("", errno: code).detail)"
      case .torn: "the time zone file is torn; reinstall the package tzdata"
      case .countsLeapSeconds(let count):
        "the zone counts \(count) leap seconds, and by it every time would be wrong; take the zone of "
          + "the same name without right/"
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
    guard bytes.starts(with: Block.magic) else { return .noZoneFile }
    guard var block = Block(bytes[...], timeBytes: 4) else { return .torn }
    if block.version != 0 {
      // Only the second block counts, with its larger times, and the line after it.
      guard let second = Block(block.rest, timeBytes: 8) else { return .torn }
      let newline = UInt8(ascii: "\n")
      guard second.rest.count > 1, second.rest.first == newline, second.rest.last == newline else {
        return .torn
      }
      block = second
    }
    if block.leapSeconds > 0 { return .countsLeapSeconds(block.leapSeconds) }
    // A page that a power cut left as zeros breaks their order.
    return zip(block.times, block.times.dropFirst()).allSatisfy { $0 < $1 } ? nil : .torn
  }
}

private struct Block {
  static let magic = Array("TZif".utf8)

  /// 0, or a digit in ASCII.
  let version: UInt8
  let leapSeconds: Int
  let times: [Int64]
  let rest: ArraySlice<UInt8>

  init?(_ bytes: ArraySlice<UInt8>, timeBytes: Int) {
    let header = Array(bytes.prefix(44))
    guard header.count == 44, header.starts(with: Self.magic) else { return nil }
    version = header[4]
    let counts = (0..<6).map { Int(Self.integer(header[(20 + 4 * $0)..<(24 + 4 * $0)])) }
    leapSeconds = counts[2]
    let size =
      counts[3] * (timeBytes + 1) + counts[4] * 6 + counts[5] + counts[2] * (timeBytes + 4)
      + counts[1] + counts[0]
    let data = bytes.dropFirst(44)
    guard size <= data.count else { return nil }
    times = (0..<counts[3]).map { index in
      let bits = Self.integer(data.dropFirst(index * timeBytes).prefix(timeBytes))
      let unused = 64 - 8 * timeBytes
      return Int64(bitPattern: bits << unused) >> unused
    }
    rest = data.dropFirst(size)
  }

  /// The most significant byte comes first.
  private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
