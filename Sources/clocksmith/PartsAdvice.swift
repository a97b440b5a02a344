@preconcurrency import Glibc

/// How to make a missing part known to the system. Each kind of system has its own way.
enum PartsAdvice {
  /// The flashed card: parts are set in `[card]` of clocksmith.txt.
  case card
  /// Raspberry Pi OS: parts are set in `config.txt`, with overlays of its own.
  case raspberryPiOS
  /// A PC, or another board.
  case other

  /// The kind of this system, found by a file that only it has.
  static var here: PartsAdvice {
    if access("/usr/lib/clocksmith-card/parts", F_OK) == 0 { return .card }
    return access("/etc/rpi-issue", F_OK) == 0 ? .raspberryPiOS : .other
  }

  var rtc: String {
    switch self {
    case .card:
      "none; with no network the clock is not trusted after a power cut: wire one to pins 1, 3, 5 "
        + "and 6 and set 'rtc = ds3231', say, in [card] of clocksmith.txt"
    case .raspberryPiOS:
      "none; with no network the clock is not trusted after a power cut: wire one to pins 1, 3, 5 "
        + "and 6 and put 'dtparam=i2c_arm=on' and 'dtoverlay=i2c-rtc,ds3231', say, into config.txt"
    case .other: "none; with no network the clock is not trusted after a power cut"
    }
  }

  var card: String {
    switch self {
    case .card:
      "none; plug in a USB one, or, for one on the header of a Raspberry Pi 3, 4 or Zero 2 W, set "
        + "'sound = max98357a', say, in [card] of clocksmith.txt"
    case .raspberryPiOS:
      "none; plug in a USB one, or put 'dtoverlay=max98357a', say, into config.txt for one on the "
        + "header"
    case .other: "none; plug in a USB one"
    }
  }
}
