@preconcurrency import Glibc

/// Standard error, without waiting: a pipe may be full, a terminal paused, a reader stuck.
final class StandardError {
  /// A pipe or a terminal, opened again, so that O_NONBLOCK does not affect the shell's terminal too.
  /// -1 for anything else, which is written to once poll(2) says that it takes a line.
  private let opened: Int32

  init() {
    var status = stat()
    fstat(STDERR_FILENO, &status)
    let isStream = [S_IFIFO, S_IFCHR].contains(status.st_mode & S_IFMT)
    opened =
      isStream
      ? open("/proc/self/fd/\(STDERR_FILENO)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1
  }

  deinit {
    if opened >= 0 { close(opened) }
  }

  /// Writes a line, with its end. One that is taken in part is not finished later.
  /// - Returns: false if it was not taken.
  func write(_ line: String) -> Bool {
    Array(line.utf8).withUnsafeBytes { writeNow($0) > 0 }
  }

  private func writeNow(_ bytes: UnsafeRawBufferPointer) -> Int {
    if opened >= 0 { return Glibc.write(opened, bytes.baseAddress, bytes.count) }
    var ready = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    guard poll(&ready, 1, 0) > 0 else { return 0 }
    return Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
  }
}
