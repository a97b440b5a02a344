import CLinux
@preconcurrency import Glibc

/// Standard output as a terminal on which lines are drawn again.
enum Screen {
  /// False if standard output is no terminal, or one that cannot move its cursor.
  static var canRedraw: Bool {
    guard isatty(STDOUT_FILENO) == 1, let type = getenv("TERM") else { return false }
    return type.pointee != 0 && strcmp(type, "dumb") != 0
  }

  /// 80 and 24 if the terminal does not know.
  static var size: (columns: Int, rows: Int) {
    var size = winsize()
    _ = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size)
    return (size.ws_col > 0 ? Int(size.ws_col) : 80, size.ws_row > 0 ? Int(size.ws_row) : 24)
  }
}
