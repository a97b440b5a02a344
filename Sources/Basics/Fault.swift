@preconcurrency import Glibc

/// What went wrong outside the program: an operation, the library's or the kernel's code, and a
/// sentence for a person.
public struct Fault: Error, Hashable, CustomStringConvertible {
  /// What was attempted, as in `cannot open /etc/clocksmith/clocksmith.conf`.
  public let operation: String
  /// `errno`, or the library's own code; 0 where there is none.
  public let code: Int32
  /// Why it failed, and what to do about it where that is known.
  public let detail: String

  public init(_ operation: String, code: Int32 = 0, _ detail: String) {
    self.operation = operation
    self.code = code
    self.detail = detail
  }

  /// A fault of the kernel or the C library, in the words of `strerror(3)`.
  public init(_ operation: String, errno code: Int32) {
    let words = String(cString: strerror(code))
    self.init(
      operation, code: code,
      code == EMFILE
        ? "\(words); let it open at least 64 at once ('ulimit -n', or LimitNOFILE= of the service)"
        : words)
  }

  public var description: String {
    "\(operation): \(detail)".printable
  }
}

extension String {
  /// The text, safe for a terminal: characters that would control one, or are not visible, are
  /// written as their numbers, as in `\u{1B}`.
  public var printable: String {
    printable { "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
  }

  /// The same for a text of several lines, which stay lines.
  var printableLines: String {
    printable { $0 == "\n" ? "\n" : String($0).printable }
  }

  /// - Parameter told: how a character that is not printable is written.
  func printable(_ told: (Unicode.Scalar) -> String) -> String {
    // Most texts are plain, and the properties of a character are slow to look up.
    if utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return self }
    return unicodeScalars.map { $0.isPrintable ? String($0) : told($0) }.joined()
  }
}

extension StringProtocol {
  /// The part of a text that an error quotes: at most its first 40 code points, because a character
  /// may have any number of accents.
  public var excerpt: String {
    let text = String(self)
    let end = text.unicodeScalars.prefix(40).endIndex
    return end == text.endIndex ? text : "\(text[..<end])..."
  }
}

extension Unicode.Scalar {
  fileprivate var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator:
      false
    case .spaceSeparator: self == " "
    default: true
    }
  }
}

/// Calls `body` until it is not interrupted by a signal, as TEMP_FAILURE_RETRY of glibc does. A
/// signal that asks the program to end is not ignored while files are cleaned up.
/// - Parameter operation: what is attempted, for the error.
/// - Returns: what `body` returned, when that is not -1.
@discardableResult
public func retryingInterrupts<Result: FixedWidthInteger>(
  _ operation: @autoclosure () -> String, _ body: () -> Result
) throws(Fault) -> Result {
  while true {
    let result = body()
    if result != -1 { return result }
    if errno != EINTR || isAskedToEnd { throw Fault(operation(), errno: errno) }
  }
}
