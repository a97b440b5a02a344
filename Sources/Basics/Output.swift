@preconcurrency import Glibc

private let standardOutput = "standard output"

extension Fault {
  /// True if the reader of standard output has gone, as head(1) goes when it has enough lines. The
  /// same code from a library, the bus or another file means something else.
  public var meansThatTheReaderHasGone: Bool { operation == standardOutput && code == EPIPE }
}

/// Prints to standard output.
/// - Throws: `Fault` if it cannot be written, because a script must not take half an answer for a
///   whole one.
public func say(_ line: String) throws(Fault) {
  guard fputs(line + "\n", stdout) >= 0 else { throw Fault(standardOutput, errno: errno) }
}

/// Writes out the lines that `say(_:)` has buffered.
public func flushOutput() throws(Fault) {
  guard fflush(stdout) == 0 else { throw Fault(standardOutput, errno: errno) }
}

/// Prints at once a line about something that was done.
/// - Parameter done: said in the error too, so that the error does not hide what was done.
/// - Throws: `Fault` if it cannot be written.
public func tellDone(_ line: String, _ done: String) throws(Fault) {
  do throws(Fault) {
    try say(line)
    try flushOutput()
  } catch {
    throw Fault(error.operation, code: error.code, "\(error.detail); \(done)")
  }
}
