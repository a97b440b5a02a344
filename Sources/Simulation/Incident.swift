import Horology

/// Something that happens to the clock, the machine, the speaker or the switch, or that a person
/// does.
struct Incident: Hashable {
  let time: Time
  let kind: Kind

  /// When it happens.
  enum Time: Hashable {
    /// Since the history began.
    case at(Int64)
    /// The first time from then on that the clock shows a quarter of an hour plus the offset. A
    /// negative offset is before the quarter.
    case nearQuarter(Int64, offset: Int64)
    /// This long after the incident before it.
    case after(Int64)
  }

  /// All spans are in nanoseconds.
  enum Kind: Hashable {
    /// A time server or a person sets the clock. After a person, the kernel does not know the
    /// clock's error.
    case step(Int64, byServer: Bool)
    /// The clock is synchronised, and corrected if it is wrong.
    case synchronised
    /// No time server is heard any more, and the kernel does not know the clock's error.
    case synchronisationLost
    case rtc(ClockHardware.RTC)
    case sleep(Int64)
    /// The loop is held up.
    case stall(Int64)
    /// The service is stopped as by systemd, and started again this much later.
    case restart(Int64)
    /// How long, and how far the clock is behind true time afterwards.
    case powerCut(Int64, clockIsBehind: Int64)
    case zone(String)
    /// The switch's contact closes or opens. It does not bounce.
    case contact(isClosed: Bool)
    case switchLost
    case switchFound
    case muteFor(Int64)
    case mute(SoftwareMute)
    case stopByHand
    /// Somebody asks for the time, to be said so much later; nil for at once.
    case ask(ahead: Int64?)
    case reminder(ReminderOrder)
    case interval(IntervalOrder)
    /// The button: stops or snoozes what rings, else stops the interval, else asks for the time.
    case press
    /// The button is kept pressed: what rings or is said stops.
    case holdButton
    /// The owner changes one setting, chosen by the seed.
    case reload(UInt64)
    /// For the first duration, opening the speaker takes the second.
    case slowToOpen(Int64, Int64)
    case busy(Int64)
    case speakerLost
    /// For the first duration, the speaker has the second in its queue.
    case longQueue(Int64, Int64)
  }
}

extension Incident.Kind {
  /// The name under which it is counted, as in `powerCut`.
  var name: String { Mirror(reflecting: self).children.first?.label ?? "\(self)" }
}
