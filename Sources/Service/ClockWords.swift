import Daemon
import Devices
import Horology

extension ClockState {
  /// As in `holdover, agrees with the RTC ds3231, off by perhaps 1.3 s`.
  public var words: String {
    switch basis {
    case .disciplined:
      // timesyncd writes an error of 0, which no clock has.
      "synchronised, within \(max(uncertainty ?? .zero, .milliseconds(1)).roughly)"
    case .synchronisedEarlier(let ago):
      "holdover, synchronised \(ago.inWords) ago, \(error)"
    case .agreesWithRTC(let name):
      "holdover, agrees with the RTC \(name), \(error)"
    case .nothing(let doubt):
      "untrusted: \(doubt.words)"
    }
  }

  private var error: String {
    "off by perhaps \(uncertainty?.roughly ?? "anything")"
      + (ends.map { ", until \($0.day)" } ?? "")
  }
}

extension ClockState.Doubt {
  /// A few words that follow a colon.
  public var words: String {
    switch self {
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

  /// What ends the doubt of this key, for a person.
  public static func remedy(of key: String) -> String {
    key == Self.heldTooLong(.zero).key
      ? "connect the network, set the clock and its RTC ('sudo date -s TIME', then 'sudo hwclock "
        + "--systohc'), or set 'greatest_error = none' in [clock]"
      : "wait for the network, fit an RTC or set the clock by it ('sudo hwclock --hctosys')"
  }
}

extension RTCFault {
  public var words: String {
    switch self {
    case .dataInvalid, .notValid: "has no valid time: it was never set, or has been without power"
    case .unreadable(let why): "cannot be read: \(why)"
    case .implausible(let shown):
      "shows \(shown.day), which cannot be right: it was never set, or without power"
    case .stopped(let shown): "has stopped at \(shown.utcText())"
    case .jumped(let from, let to, let span):
      "went from \(from.utcText()) to \(to.utcText()) in \(span.roughly)"
    case .localTime: "keeps local time, as /etc/adjtime says, and clocksmith needs UTC in it"
    case .zoneAway(let lead):
      "is \(lead.magnitude.roughly) \(lead < .zero ? "ahead of" : "behind") the synchronised clock: it "
        + "seems to keep local time, and clocksmith needs UTC in it"
    }
  }

  public var remedy: String {
    switch self {
    case .unreadable: "look at its wires, and at how it is named in config.txt or clocksmith.txt"
    case .localTime: "set it to UTC with 'sudo timedatectl set-local-rtc 0'"
    // timedatectl changes nothing if the system takes it for UTC already.
    case .zoneAway: "set it to UTC with 'sudo hwclock --systohc --utc'"
    case .stopped, .jumped:
      "set it with 'sudo hwclock --systohc'; if it does so again, it is broken"
    case .dataInvalid, .notValid, .implausible:
      "look at its battery, and once the clock is synchronised set it: 'sudo hwclock --systohc'"
    }
  }
}

extension RTCWarning {
  public var words: String {
    switch self {
    case .batteryLow: "its battery is low"
    case .batteryEmpty: "its battery is empty, or not there"
    case .accuracyLow: "its voltage is low, and it keeps time badly"
    }
  }
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
