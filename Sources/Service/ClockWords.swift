import Daemon
import Devices
import Horology

extension ClockState {
  /// As in `holdover, agrees with the RTC ds3231, off by perhaps 1.3 s`.
  public var words: String {
    switch trust {
    // timesyncd writes an error of 0, which no clock has.
    case .synchronised:
      "synchronised, within \(max(uncertainty ?? .zero, .milliseconds(1)).roughly)"
    case .holdover:
      "holdover, \(basis.words), off by perhaps \(uncertainty?.roughly ?? "anything")"
        + (ends.map { ", until \($0.day)" } ?? "")
    case .untrusted: "untrusted: \(basis.words)"
    }
  }
}

extension ClockState.Basis {
  /// A few words that follow a comma or a colon.
  public var words: String {
    switch self {
    case .disciplined: "synchronised"
    case .synchronisedEarlier(let ago): "synchronised \(ago.inWords) ago"
    case .agreesWithRTC(let name): "agrees with the RTC \(name)"
    case .noRTC: "it is not synchronised, and no RTC vouches for it"
    case .invalidRTC(let name, let fault):
      "it is not synchronised, and the RTC \(name) \(fault.words)"
    case .differs(let name, let lead):
      "it is \(lead.magnitude.roughly) \(lead < .zero ? "behind" : "ahead of") the RTC \(name)"
    case .wasSet(let step):
      "it was set \(step < .zero ? "back" : "forward") by \(step.magnitude.roughly) "
        + "since it was synchronised"
    case .heldTooLong(let error):
      "it was last set right too long ago, and is off by perhaps \(error.roughly), more than "
        + "'greatest_error' in [clock] allows"
    }
  }
}

extension ClockState.Basis.Kind {
  /// What makes a clock trusted that is not, for a person.
  public var remedy: String {
    self == .heldTooLong
      ? "connect the network, set the clock and its RTC ('sudo date -s TIME', then 'sudo hwclock "
        + "--systohc'), or set 'greatest_error = none' in [clock]"
      : "wait for the network, fit an RTC or set the clock by it ('sudo hwclock --hctosys'); openntpd, "
        + "htpdate and a container's host set the clock without telling the kernel, so use "
        + "systemd-timesyncd, chrony or ntpsec"
  }
}

extension RTCFault {
  public var words: String {
    switch self {
    case .notValid: "has no valid time: it was never set, or has been without power"
    case .unreadable(let why): "cannot be read: \(why)"
    case .implausible(let shown):
      "shows \(shown.day), which cannot be right: it was never set, or without power"
    case .stopped(let shown): "has stopped at \(shown.utcText())"
    case .localTime: "seems to keep local time, and clocksmith needs UTC in it"
    }
  }

  public var remedy: String {
    switch self {
    case .unreadable: "look at its wires, and at how it is named in config.txt or clocksmith.txt"
    case .localTime: "set it to UTC with 'sudo hwclock --systohc --utc'"
    case .stopped: "set it with 'sudo hwclock --systohc'; if it stops again, it is broken"
    case .notValid, .implausible:
      "look at its battery, and once the clock is synchronised set it: 'sudo hwclock --systohc'"
    }
  }
}

extension RTCJudgement {
  public static let lowBattery =
    "its battery is low, empty, or not there; put in a new one, or charge it"
}

extension Instant {
  var day: String { String(utcText().prefix(10)) }
}

extension Journal {
  func warnOfUntrustedClock(_ policy: UntrustedPolicy) {
    let consequence =
      policy == .speak
      ? "it speaks all the same, and may be wrong"
      : "until it is, no time is said by itself and no alarm rings; connect the network or an RTC, or "
        + "set 'untrusted = speak' in [clock]"
    log(
      .trust, .warning, "the clock is not synchronised: \(consequence)",
      ["TRUST": ClockTrust.untrusted.rawValue])
  }
}
