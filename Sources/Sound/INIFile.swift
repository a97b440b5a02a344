import CINI
@preconcurrency import Glibc

/// The entries of an INI file, read by libinih, each with its line.
public struct INIFile {
  public struct Entry {
    public let section: String
    public let key: String
    public let value: String
    /// Counted from 1.
    public let line: Int
  }

  public let path: String
  public let entries: [Entry]

  /// Larger files are not configuration.
  static let largestSize = 1 << 20

  /// Reads a whole file.
  /// - Throws: `Fault` if it cannot be opened, is not a regular file, is larger than 1 MiB, or
  ///   has a line that is neither a section, a comment nor `key = value`.
  public init(path: String) throws(Fault) {
    self.path = path
    let reader = try LineReader(path: path)
    let failedLine = ini_parse_stream(
      { line, size, context in
        Unmanaged<LineReader>.fromOpaque(context!).takeUnretainedValue().next(line!, size)
      },
      Unmanaged.passUnretained(reader).toOpaque(),
      { context, section, key, value in
        Unmanaged<LineReader>.fromOpaque(context!).takeUnretainedValue()
          .add(section: section!, key: key!, value: value!)
        return 1
      },
      Unmanaged.passUnretained(reader).toOpaque())
    if let line = reader.overlongLine {
      throw Fault("\(path):\(line)", "the line is longer than \(reader.longestLine) characters")
    }
    if failedLine != 0 {
      throw Fault("\(path):\(failedLine)", "not a [section], a comment or 'key = value'")
    }
    entries = reader.entries
  }
}

/// Hands lines to libinih and counts them, which libinih does not tell its handler.
private final class LineReader {
  private let file: UnsafeMutablePointer<FILE>
  private var line = 0
  private(set) var longestLine = 0
  private(set) var overlongLine: Int?
  private(set) var entries: [INIFile.Entry] = []

  init(path: String) throws(Fault) {
    let descriptor = try openRegularFile(path, largest: INIFile.largestSize)
    guard let opened = fdopen(descriptor, "r") else {
      let code = errno
      close(descriptor)
      throw Fault("cannot read \(path)", errno: code)
    }
    file = opened
    // What a power cut leaves behind may be zeros, at which C's strings would end unnoticed.
    var line = 1
    while case let byte = getc(file), byte != EOF {
      if byte == 0 {
        throw Fault("\(path):\(line)", "it holds a zero byte: it is torn, or no text")
      }
      if byte == 10 { line += 1 }
    }
    rewind(file)
  }

  deinit {
    fclose(file)
  }

  func next(_ buffer: UnsafeMutablePointer<CChar>, _ size: Int32) -> UnsafeMutablePointer<CChar>? {
    guard fgets(buffer, size, file) != nil else { return nil }
    line += 1
    longestLine = Int(size) - 2
    if strlen(buffer) == Int(size) - 1 && buffer[Int(size) - 2] != 10 && overlongLine == nil {
      overlongLine = line
    }
    return buffer
  }

  func add(
    section: UnsafePointer<CChar>, key: UnsafePointer<CChar>, value: UnsafePointer<CChar>
  ) {
    entries.append(
      INIFile.Entry(
        section: String(cString: section), key: String(cString: key),
        value: String(cString: value), line: line))
  }
}
