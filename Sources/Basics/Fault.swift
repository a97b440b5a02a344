@preconcurrency import Glibc

/// What went wrong outside the program: an operation, the library's or the kernel's code, and a
/// sentence for a person.
public struct Fault: Error, Hashable, CustomStringConvertible {
  /// What was attempted, as in `cannot open /etc/clocksmith/clocksmith.conf`; empty for a refusal, of
  /// which the detail tells all.
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
    self.init(operation, code: code, String(cString: strerror(code)))
  }

  public var description: String {
    (operation.isEmpty ? detail : "\(operation): \(detail)").printable
  }
}

/// Calls `body` until it is not interrupted by a signal, as TEMP_FAILURE_RETRY of glibc does.
/// - Parameter operation: what is attempted, for the error.
@discardableResult
public func retryingInterrupts<Result: FixedWidthInteger>(
  _ operation: @autoclosure () -> String, _ body: () -> Result
) throws(Fault) -> Result {
  while true {
    let result = body()
    if result != -1 { return result }
    if errno != EINTR { throw Fault(operation(), errno: errno) }
  }
}
