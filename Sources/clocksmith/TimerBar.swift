import Basics
@preconcurrency import CLinux
@preconcurrency import Glibc
import Horology

/// A bar of one line that grows as a timer counts down, on a terminal that can redraw its line.
struct TimerBar {
  private static let width = 30

  let isShown = Screen.canRedraw

  /// As in `tea  [##########--------------------]  4:12`.
  static func text(title: String, left: Duration, of length: Duration) -> String {
    let share = length > .zero ? 1 - left.inSeconds / length.inSeconds : 1
    let full = min(max(Int(share * Double(width)), 0), width)
    let bar = String(repeating: "#", count: full) + String(repeating: "-", count: width - full)
    return "\(title)  [\(bar)]  \(clock(left))"
  }

  func show(_ title: String, left: Duration, of length: Duration) {
    show(Self.text(title: title, left: left, of: length))
  }

  /// Leaves the line as it is; later output stands below it.
  func end() {
    guard isShown else { return }
    fputs("\n", stdout)
    fflush(stdout)
  }

  func show(_ text: String) {
    guard isShown else { return }
    fputs("\r\(Screen.wrapsNot)\(text.printable)\u{1B}[K\(Screen.wraps)", stdout)
    fflush(stdout)
  }

  /// As in `4:12` or `1:05:00`, rounded up, so that 0:00 is the end.
  private static func clock(_ left: Duration) -> String {
    let seconds = Int((left.nanoseconds + 999_999_999) / 1_000_000_000)
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    return (hours > 0 ? "\(hours):\(twoDigits(minutes))" : "\(minutes)")
      + ":\(twoDigits(seconds % 60))"
  }
}

/// Standard output as a terminal on which lines are drawn again.
enum Screen {
  /// False if standard output is no terminal, or one that cannot move its cursor.
  static var canRedraw: Bool {
    guard isatty(STDOUT_FILENO) == 1, let type = getenv("TERM") else { return false }
    return type.pointee != 0 && strcmp(type, "dumb") != 0
  }

  static let home = "\u{1B}[H"

  /// Cuts off what has no room in its line, as text of wide characters, instead of wrapping it.
  static let wrapsNot = "\u{1B}[?7l"
  static let wraps = "\u{1B}[?7h"

  /// 24 if the terminal does not know.
  static var rows: Int {
    var size = winsize()
    _ = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size)
    return size.ws_row > 0 ? Int(size.ws_row) : 24
  }
}
