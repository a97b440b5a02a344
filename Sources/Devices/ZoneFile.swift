import Basics
@preconcurrency import Glibc

/// Checks a time zone file (RFC 9636) to its end: if glibc cannot read a file, it silently takes
/// UTC.
enum ZoneFile {
  /// Why a file cannot be used as a zone.
  enum Flaw: Error, Equatable {
    /// It does not exist, or is not a zone file.
    case noZoneFile
    /// It exists and cannot be read, with this `errno`.
    case unreadable(Int32)
    /// It is not whole.
    case torn
    /// Its contents contradict each other.
    case damaged(String)
    /// It counts this many leap seconds (`right/` in the tz database). No computer's clock shows
    /// them, so every time would be wrong.
    case countsLeapSeconds(Int)
  }

  /// More than four times the largest file of the tz database.
  private static let mostBytes = 65_536

  /// What is wrong with a file; nil if nothing is.
  static func flaw(of path: String) -> Flaw? {
    do throws(Fault) {
      return flaw(in: try readRegularFile(path, largest: mostBytes))
    } catch {
      // The code is 0 if the file is not a regular one, or is too large.
      return [0, ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG].contains(error.code)
        ? .noZoneFile : .unreadable(error.code)
    }
  }

  /// What is wrong with a file of these bytes; nil if nothing is.
  static func flaw(in bytes: [UInt8]) -> Flaw? {
    guard bytes.starts(with: Block.magic) else { return .noZoneFile }
    var reader = Reader(rest: bytes[...])
    do throws(Flaw) {
      let first = try Block(&reader, timeBytes: 4)
      if first.version == 0 {
        try first.verify()
      } else {
        // Only the second block counts, with its larger times, and the footer after it.
        try Block(&reader, timeBytes: 8).verify()
        try verifyFooter(reader.rest)
      }
      return nil
    } catch {
      return error
    }
  }

  /// Checks the rule for the times after the last change: one line, up to the end of the file.
  private static func verifyFooter(_ footer: ArraySlice<UInt8>) throws(Flaw) {
    let newline = UInt8(ascii: "\n")
    guard footer.count >= 2, footer.last == newline else { throw .torn }
    guard footer.first == newline, isRule(footer.dropFirst().dropLast()) else {
      throw .damaged("its last line is no rule")
    }
  }
}

extension ZoneFile {
  /// True if the line begins as a rule of POSIX does, with a name and its hours from UTC, as
  /// `JST-9` or `<+03>-3`. Also true if it is empty, because the zone has no rule (RFC 9636, 3.3).
  /// glibc takes UTC for any other line.
  private static func isRule(_ line: ArraySlice<UInt8>) -> Bool {
    guard let first = line.first else { return true }
    func isLetter(_ byte: UInt8) -> Bool { 65...90 ~= byte || 97...122 ~= byte }
    func isDigit(_ byte: UInt8) -> Bool { 48...57 ~= byte }
    guard line.allSatisfy({ 32..<127 ~= $0 }) else { return false }
    let isQuoted = first == UInt8(ascii: "<")
    let name =
      isQuoted ? line.dropFirst().prefix { $0 != UInt8(ascii: ">") } : line.prefix(while: isLetter)
    guard name.count >= 3 else { return false }
    var rest = line[name.endIndex...]
    if isQuoted { rest = rest.dropFirst() }
    if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      rest = rest.dropFirst()
    }
    return rest.first.map(isDigit) ?? false
  }
}

extension ZoneFile.Flaw {
  /// What is wrong, and what to do.
  var words: String {
    switch self {
    case .noZoneFile: "it is no time zone file"
    case .unreadable(let code): "it cannot be read: \(Fault("", errno: code).detail)"
    case .torn: "the time zone file is torn; reinstall the package tzdata"
    case .damaged(let why):
      "the time zone file is damaged (\(why)); reinstall the package tzdata"
    case .countsLeapSeconds(let count):
      "the zone counts \(count) leap seconds, and by it every time would be wrong; take the zone of "
        + "the same name without right/"
    }
  }
}

/// Reads a file's bytes from its front.
private struct Reader {
  var rest: ArraySlice<UInt8>

  mutating func take(_ count: Int) throws(ZoneFile.Flaw) -> ArraySlice<UInt8> {
    guard count <= rest.count else { throw .torn }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// The most significant byte comes first.
  mutating func integers(_ count: Int, ofBytes size: Int) throws(ZoneFile.Flaw) -> [Int64] {
    let bytes = Array(try take(count * size))
    return (0..<count).map { index in
      let field = bytes[(index * size)..<((index + 1) * size)]
      let sign: Int64 = field.first! < 128 ? 0 : -1
      return field.reduce(sign) { $0 << 8 | Int64($1) }
    }
  }
}

/// One of the two blocks of a zone file.
private struct Block {
  static let magic = Array("TZif".utf8)

  /// 0 or a digit in ASCII.
  let version: UInt8
  private let leapSeconds: Int
  private let universalFlags: Int
  private let standardFlags: Int
  private let times: [Int64]
  private let typeOfTime: [UInt8]
  /// Seconds ahead of UTC, 1 for daylight saving, and the index in `names` at which its name
  /// begins.
  private let types: [(offset: Int64, isDaylightSaving: UInt8, name: UInt8)]
  private let names: [UInt8]

  /// - Parameter timeBytes: how many bytes a time has.
  init(_ reader: inout Reader, timeBytes: Int) throws(ZoneFile.Flaw) {
    guard try reader.take(4).elementsEqual(Self.magic) else {
      throw .damaged("its second half does not begin as the first")
    }
    version = try reader.take(1).first!
    _ = try reader.take(15)
    let counts = try reader.integers(6, ofBytes: 4).map { Int($0) }
    guard counts.allSatisfy({ 0...65_536 ~= $0 }) else { throw .damaged("its counts are absurd") }
    (universalFlags, standardFlags, leapSeconds) = (counts[0], counts[1], counts[2])
    let (timeCount, typeCount, nameBytes) = (counts[3], counts[4], counts[5])
    times = try reader.integers(timeCount, ofBytes: timeBytes)
    typeOfTime = Array(try reader.take(timeCount))
    var types: [(offset: Int64, isDaylightSaving: UInt8, name: UInt8)] = []
    for _ in 0..<typeCount {
      let offset = try reader.integers(1, ofBytes: 4)[0]
      let rest = Array(try reader.take(2))
      types.append((offset, rest[0], rest[1]))
    }
    self.types = types
    names = Array(try reader.take(nameBytes))
    _ = try reader.take(leapSeconds * (timeBytes + 4) + standardFlags + universalFlags)
  }

  func verify() throws(ZoneFile.Flaw) {
    guard leapSeconds == 0 else { throw .countsLeapSeconds(leapSeconds) }
    guard !types.isEmpty, names.last == 0, [0, types.count].contains(universalFlags),
      [0, types.count].contains(standardFlags)
    else { throw .damaged("its counts do not fit each other") }
    guard zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw .damaged("its changes are not in the order of time")
    }
    guard typeOfTime.allSatisfy({ $0 < types.count }) else {
      throw .damaged("it names an offset that it does not have")
    }
    // RFC 9636, 3.2: an offset is more than -25 hours and less than 26.
    let isSound = types.allSatisfy {
      -89_999...93_599 ~= $0.offset && $0.isDaylightSaving < 2 && $0.name < names.count
    }
    guard isSound else { throw .damaged("an offset of it is none") }
  }
}
