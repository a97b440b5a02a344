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
    let operation = "cannot read \(path)"
    // Without O_NONBLOCK a named pipe would wait for somebody to write.
    let descriptor = try retryingInterrupts(operation) {
      open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    }
    var status = stat()
    var problem: Fault?
    if fstat(descriptor, &status) != 0 {
      problem = Fault(operation, errno: errno)
    } else if status.st_mode & S_IFMT == S_IFDIR {
      problem = Fault(operation, "it is a directory, not a file")
    } else if status.st_mode & S_IFMT != S_IFREG {
      problem = Fault(operation, "it is not a regular file")
    } else if status.st_size > INIFile.largestSize {
      problem = Fault(
        operation, "it has \(status.st_size) bytes; at most \(INIFile.largestSize) are read")
    }
    if problem == nil, let opened = fdopen(descriptor, "r") {
      file = opened
      return
    }
    let failure = problem ?? Fault(operation, errno: errno)
    close(descriptor)
    throw failure
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
