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

  /// It may have no entry.
  public struct Section: Hashable, Sendable {
    public let name: String
    /// Counted from 1.
    public let line: Int
  }

  public let path: String
  public private(set) var sections: [Section] = []
  public private(set) var entries: [Entry] = []

  /// Reads a file of at most 1 MiB.
  public init(path: String) throws(Fault) {
    try self.init(try readRegularFile(path), path: path)
  }

  /// Reads what is, or is to be, in a file of that path.
  /// - Throws: `Fault` for a line that is neither a section, a comment nor `key = value`, or of which
  ///   libinih would drop a part.
  public init(_ bytes: [UInt8], path: String) throws(Fault) {
    self.path = path
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (number, line) in zip(1..., lines) {
      if let flaw = read(line, number) { throw Fault("\(path):\(number)", flaw) }
    }
  }

  /// Leaves out the entries for which `isKept` is false, and sections that have no other.
  public mutating func keep(where isKept: (Entry) -> Bool) {
    entries.removeAll { !isKept($0) }
    let names = Set(entries.map(\.section))
    sections.removeAll { !names.contains($0.name) }
  }
}

extension INIFile {
  /// The rest of the buffer of libinih 53 to 62 is for the ends of the line and of the string.
  private static let longest = Int(INI_MAX_LINE) - 2

  /// Takes in a line.
  /// - Returns: why it cannot be used, and what to do about it; nil if it can.
  private mutating func read(_ line: ArraySlice<UInt8>, _ number: Int) -> String? {
    func isSpace(_ byte: UInt8) -> Bool { isspace(Int32(byte)) != 0 }
    // The byte order mark that some editors put at the start of a file.
    let isMarked = line.starts(with: [0xEF, 0xBB, 0xBF])
    var text = line.dropFirst(isMarked ? 3 : 0).drop(while: isSpace)
    while let last = text.last, isSpace(last) { text.removeLast() }
    // A power cut may leave zero bytes behind, at which C's strings would silently end.
    if text.contains(0) { return "it holds a zero byte: it is torn, or no text" }
    guard let first = text.first, ![UInt8(ascii: ";"), UInt8(ascii: "#")].contains(first) else {
      return nil
    }
    guard let words = String(validating: text, as: UTF8.self) else {
      return "the line is not UTF-8; save the file as UTF-8"
    }
    guard text.count <= Self.longest else {
      return "the line is longer than \(Self.longest) characters; shorten it"
    }
    // libinih keeps only 49 bytes of a section's name.
    if words.hasPrefix("["), let close = words.firstIndex(of: "]") {
      guard words[close...] == "]" else {
        return "there is text after ']'; put it on a line of its own"
      }
      sections.append(Section(name: String(words[..<close].dropFirst()), line: number))
      return nil
    }
    if zip(text, text.dropFirst()).contains(where: { isSpace($0) && $1 == UInt8(ascii: ";") }) {
      return "the value has ' ;' in it; put a comment on a line of its own"
    }
    var entry: (key: String, value: String)?
    let failedLine = withUnsafeMutablePointer(to: &entry) { entry in
      ini_parse_string(
        words,
        { context, _, key, value in
          let entry = context!.assumingMemoryBound(to: (key: String, value: String)?.self)
          entry.pointee = (String(cString: key!), String(cString: value!).unquoted)
          return 1
        }, entry)
    }
    guard failedLine == 0, let (key, value) = entry else {
      return "not a [section], a comment or 'key = value'"
    }
    let section = sections.last?.name ?? ""
    entries.append(Entry(section: section, key: key, value: value, line: number))
    return nil
  }
}
