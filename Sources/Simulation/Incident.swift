import Horology

/// Something that happens to the clock, the machine, the speaker or the switch, or that a person
/// does.
struct Incident {
  /// Since the history began.
  let at: Int64
  let kind: Kind

  /// All spans are in nanoseconds.
  enum Kind {
    case step(Int64)
    /// The clock is synchronised, and corrected if it is wrong.
    case synchronised
    /// No time server is heard any more, and the kernel does not know the clock's error.
    case synchronisationLost
    case sleep(Int64)
    case stall(Int64)
    /// The service is stopped as by systemd, and started again this much later.
    case restart(Int64)
    /// How long, and how far the clock is ahead of true time afterwards; by an RTC, or without one.
    case powerCut(Int64, clockIsAhead: Int64, hasRTC: Bool = false)
    case zone(String)
    /// The switch is moved, lost or found again. It does not bounce.
    case contact(SwitchState)
    /// A person gives an order that names no instant.
    case order(Event)
    case muteFor(Int64)
    /// Somebody asks for the time, to be said so much later; nil for at once.
    case ask(ahead: Int64?)
    /// The owner changes one setting, chosen by the seed.
    case reload(UInt64)
    /// For the first duration, opening the speaker takes the second.
    case slowToOpen(Int64, Int64)
    case busy(Int64)
    case speakerLost
  }
}

extension Incident.Kind {
  /// The name under which it is counted, as in `powerCut` or, of an order, `mute`.
  var name: String {
    let text = if case .order(let event) = self { "\(event)" } else { "\(self)" }
    return String(text.prefix { $0 != "(" })
  }
}
