import CINI
@preconcurrency import Glibc

/// The entries of an INI file, read by libinih, each with its line.
public struct INIFile: Sendable {
  public struct Entry: Hashable, Sendable {
    public let section: String
    public let key: String
    public let value: String
    /// Counted from 1.
    public let line: Int
  }

  /// A line that begins a section, whether or not there is an entry in it.
  public struct Section: Hashable, Sendable {
    public let name: String
    /// Counted from 1.
    public let line: Int
  }

  public let path: String
  public let sections: [Section]
  public private(set) var entries: [Entry]

  /// Larger files are not configuration.
  static let largestSize = 1 << 20

  /// Reads a whole file.
  /// - Parameter remedy: what to do about a line that is too long for libinih.
  /// - Throws: `Fault` if it cannot be opened, is not a regular file, is larger than 1 MiB, or has
  ///   a line that is neither a section, a comment nor `key = value`, or has a line of which
  ///   libinih would drop a part.
  public init(path: String, remedyOfLongLines remedy: String = "shorten it") throws(Fault) {
    try self.init(
      try readRegularFile(path, largest: Self.largestSize), path: path, remedyOfLongLines: remedy)
  }

  /// Reads what is, or is to be, in a file of that path.
  /// - Throws: `Fault` as `init(path:)` does.
  public init(
    _ bytes: [UInt8], path: String, remedyOfLongLines remedy: String = "shorten it"
  ) throws(Fault) {
    self.path = path
    let reader = try LineReader(bytes, path: path, remedyOfLongLines: remedy)
    let failedLine = ini_parse_stream(
      { line, size, context in
        Unmanaged<LineReader>.fromOpaque(context!).takeUnretainedValue().next(line!, size)
      },
      Unmanaged.passUnretained(reader).toOpaque(),
      { context, _, key, value in
        Unmanaged<LineReader>.fromOpaque(context!).takeUnretainedValue()
          .add(key: key!, value: value!)
        return 1
      },
      Unmanaged.passUnretained(reader).toOpaque())
    // Reading stops at a problem, so a line that libinih refused comes before it.
    if failedLine != 0 {
      throw Fault("\(path):\(failedLine)", "not a [section], a comment or 'key = value'")
    }
    if let problem = reader.problem {
      throw Fault("\(path):\(problem.line)", problem.words)
    }
    sections = reader.sections
    entries = reader.entries
  }

  private init(path: String, sections: [Section], entries: [Entry]) {
    (self.path, self.sections, self.entries) = (path, sections, entries)
  }

  /// The entries for which `isKept` is true, and their sections.
  public func filter(_ isKept: (Entry) -> Bool) -> INIFile {
    let kept = entries.filter(isKept)
    return INIFile(
      path: path,
      sections: sections.filter { section in kept.contains { $0.section == section.name } },
      entries: kept)
  }
}

/// What became of a key that earlier versions had.
public enum OldKey: Sendable {
  /// It has no effect any more, whatever its value.
  case gone
  /// It has this name now, in the same section.
  case renamed(String)
}

extension INIFile {
  /// Leaves out the keys that are gone, and gives those that are renamed their new names. An old
  /// name that stands beside the new one has no effect.
  /// - Parameter old: by kind of section and key, as in `alarm.quiet_hours` for `[alarm school]`.
  /// - Returns: what to do about each: a sentence with its file and line.
  public mutating func renew(_ old: [String: OldKey]) -> [String] {
    var told: [String] = []
    entries = entries.compactMap { entry in
      let kind = entry.section.prefix { !$0.isWhitespace }
      guard let fate = old["\(kind).\(entry.key)"] else { return entry }
      let start = "\(path):\(entry.line): '\(entry.key)' in [\(entry.section.excerpt)]"
      guard case .renamed(let name) = fate,
        !entries.contains(where: { $0.section == entry.section && $0.key == name })
      else {
        told.append("\(start) has no effect any more; remove it")
        return nil
      }
      told.append("\(start) is now called '\(name)'; write that")
      return Entry(section: entry.section, key: name, value: entry.value, line: entry.line)
    }
    return told
  }
}

/// One line, as libinih 53 to 62 would read it.
private struct INILine {
  /// The number of bytes of white space before its text.
  let indent: Int
  private let text: ArraySlice<UInt8>

  init(_ line: [UInt8]) {
    // The byte order mark that some editors put at the start of a file.
    let mark = line.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let start = line[mark...].firstIndex { !Self.isSpace($0) } ?? line.count
    let end = line[start...].lastIndex { !Self.isSpace($0) }.map { $0 + 1 } ?? start
    indent = mark == 0 ? start : 0
    text = line[start..<end]
  }

  /// What libinih would silently drop of the line, with the remedy; nil if nothing.
  var problem: String? {
    if text.contains(UInt8(ascii: "\r")) {
      return "there is a carriage return in the line; end lines with a line feed, as Unix does"
    }
    switch text.first {
    case nil, UInt8(ascii: ";"), UInt8(ascii: "#"):
      return nil
    case _ where String(validating: text, as: UTF8.self) == nil:
      return "the line is not UTF-8; save the file as UTF-8"
    case UInt8(ascii: "["):
      guard let section else { return nil }
      return section.endIndex + 1 < text.endIndex
        ? "there is text after ']'; put it on a line of its own" : nil
    default:
      let hasComment = zip(text, text.dropFirst()).contains {
        Self.isSpace($0) && $1 == UInt8(ascii: ";")
      }
      return hasComment ? "the value has ' ;' in it; put a comment on a line of its own" : nil
    }
  }

  /// The name of the section that the line begins; nil if it begins none.
  var section: ArraySlice<UInt8>? {
    guard text.first == UInt8(ascii: "["), let close = text.firstIndex(of: UInt8(ascii: "]")) else {
      return nil
    }
    return text[(text.startIndex + 1)..<close]
  }

  private static func isSpace(_ byte: UInt8) -> Bool { isspace(Int32(byte)) != 0 }
}

/// Hands lines to libinih and counts them, because libinih does not tell its handler their numbers.
/// Ends at the first line of which libinih would drop a part.
private final class LineReader {
  private var lines: ArraySlice<ArraySlice<UInt8>>
  private let remedyOfLongLines: String
  private var line = 0
  private(set) var problem: (line: Int, words: String)?
  private(set) var sections: [INIFile.Section] = []
  private(set) var entries: [INIFile.Entry] = []

  init(_ bytes: [UInt8], path: String, remedyOfLongLines remedy: String) throws(Fault) {
    remedyOfLongLines = remedy
    let newline = UInt8(ascii: "\n")
    // A power cut may leave zero bytes behind, at which C's strings would silently end.
    if let zero = bytes.firstIndex(of: 0) {
      let line = bytes[..<zero].count { $0 == newline } + 1
      throw Fault("\(path):\(line)", "it holds a zero byte: it is torn, or no text")
    }
    lines = bytes.split(separator: newline, omittingEmptySubsequences: false)[...]
    if lines.last?.isEmpty == true { lines.removeLast() }
  }

  /// - Returns: the buffer with the next line in it; nil at the end.
  func next(_ buffer: UnsafeMutablePointer<CChar>, _ size: Int32) -> UnsafeMutablePointer<CChar>? {
    guard problem == nil, let bytes = lines.popFirst() else { return nil }
    line += 1
    let longest = Int(size) - 2
    guard bytes.count <= longest else {
      problem = (line, "the line is longer than \(longest) characters; \(remedyOfLongLines)")
      return nil
    }
    let text = INILine(Array(bytes))
    if let words = text.problem {
      problem = (line, words)
      return nil
    }
    if let section = text.section {
      sections.append(INIFile.Section(name: String(decoding: section, as: UTF8.self), line: line))
    }
    // libinih would take an indented line as more of the value above.
    let shown = bytes.dropFirst(text.indent)
    for (index, byte) in shown.enumerated() { buffer[index] = CChar(bitPattern: byte) }
    buffer[shown.count] = 0
    return buffer
  }

  func add(key: UnsafePointer<CChar>, value: UnsafePointer<CChar>) {
    // libinih keeps only 49 bytes of a section's name.
    entries.append(
      INIFile.Entry(
        section: sections.last?.name ?? "", key: String(cString: key),
        value: String(cString: value), line: line))
  }
}
