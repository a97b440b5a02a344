import Basics
@preconcurrency import Glibc

/// A terminal whose keys are read one at a time and not shown, until it is released.
public final class Terminal {
  public let descriptor: Int32
  private var before = termios()

  public init(descriptor: Int32) throws(Fault) {
    self.descriptor = descriptor
    try retryingInterrupts("cannot read keys") { tcgetattr(descriptor, &before) }
    var now = before
    now.c_lflag &= ~tcflag_t(ICANON | ECHO)
    withUnsafeMutableBytes(of: &now.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
      // No Ctrl-Z (_POSIX_VDISABLE): a microphone cannot be stopped in the middle of a phrase.
      characters[Int(VSUSP)] = 0
    }
    try retryingInterrupts("cannot read keys") { tcsetattr(descriptor, TCSANOW, &now) }
  }

  deinit {
    tcsetattr(descriptor, TCSANOW, &before)
  }

  /// - Returns: the bytes of the pressed keys; nil if the terminal is gone.
  public func readKeys() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = (try? retryingInterrupts("") { read(descriptor, &bytes, bytes.count) }) ?? 0
    guard count > 0 else { return nil }
    // The code of an arrow key ends with a letter, which must not count as a key.
    return bytes[0] == 27 ? [] : Array(bytes[..<count])
  }
}
