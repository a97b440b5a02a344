@preconcurrency import Glibc
import Sound

/// Prints to standard output.
/// - Throws: `Fault` if it cannot be written, for a script must not take half an answer for whole.
func say(_ line: String) throws(Fault) {
  guard fputs(line + "\n", stdout) >= 0 else { throw Fault("standard output", errno: errno) }
}

/// Writes out what `say(_:)` has kept back.
func flushOutput() throws(Fault) {
  guard fflush(stdout) == 0 else { throw Fault("standard output", errno: errno) }
}

/// Prints a line to standard error.
func complain(_ line: String) {
  fputs("clocksmith: \(line.printable)\n", stderr)
}
