@preconcurrency import Glibc

private let standardOutput = "standard output"

extension Fault {
  /// True if the reader of standard output has gone, as head(1) does when it has had enough. The
  /// same number from a library, the bus or another file means something else.
  public var meansThatTheReaderHasGone: Bool { operation == standardOutput && code == EPIPE }
}

/// Prints to standard output.
/// - Throws: `Fault` if it cannot be written, for a script must not take half an answer for whole.
public func say(_ line: String) throws(Fault) {
  guard fputs(line + "\n", stdout) >= 0 else { throw Fault(standardOutput, errno: errno) }
}

/// Writes out what `say(_:)` has kept back.
public func flushOutput() throws(Fault) {
  guard fflush(stdout) == 0 else { throw Fault(standardOutput, errno: errno) }
}

/// Prints at once what has been done.
/// - Parameter done: what an error must not hide.
/// - Throws: `Fault` if it cannot be written.
public func tellDone(_ line: String, _ done: String) throws(Fault) {
  do throws(Fault) {
    try say(line)
    try flushOutput()
  } catch {
    throw Fault(error.operation, code: error.code, "\(error.detail); \(done)")
  }
}
