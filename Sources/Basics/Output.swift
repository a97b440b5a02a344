@preconcurrency import Glibc

/// Each program has one thread.
nonisolated(unsafe) private var isUnread = false

/// True once a write has shown that the reader of standard output has gone, as head(1) goes when it
/// has enough lines. What prints until it is told to end can end then.
public var outputIsUnread: Bool { isUnread }

/// Prints to standard output, safe for a terminal: a line may hold words from a file of a stranger,
/// as a voice pack is. Once its reader has gone, this does nothing: the rest of the work and
/// its exit status are the same without a reader.
/// - Throws: `Fault` if it cannot be written, because a script must not take half an answer for a
///   whole one.
public func say(_ line: String) throws(Fault) {
  guard !isUnread else { return }
  if fputs(line.printableLines + "\n", stdout) < 0 { try noteFailedOutput(errno) }
}

/// Writes out the lines that `say(_:)` has buffered.
public func flushOutput() throws(Fault) {
  guard !isUnread else { return }
  if fflush(stdout) != 0 { try noteFailedOutput(errno) }
}

private func noteFailedOutput(_ code: Int32) throws(Fault) {
  guard code == EPIPE else { throw Fault("standard output", errno: code) }
  isUnread = true
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
