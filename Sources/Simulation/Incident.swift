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

  enum Kind: Hashable {
    /// A time server or a person sets the clock. After a person, the kernel does not know the
    /// clock's error.
    case step(Int64, byServer: Bool)
    /// The clock is synchronised, and corrected if it is wrong.
    case synchronised
    /// No time server is heard any more. The kernel's error becomes unknown at once, or after
    /// hours.
    case synchronisationLost(atOnce: Bool)
    case rtc(ClockHardware.RTC)
    /// From now on the clock gains this many ppm on true time.
    case drift(Int64)
    /// adjtime(3): the clock is slewed by this much, at 500 ppm.
    case slew(Int64)
    case sleep(Int64)
    /// The loop is held up.
    case stall(Int64)
    /// The service is stopped as by systemd, and started again this much later.
    case restart(Int64)
    /// How long, and how far the clock is behind true time afterwards.
    case powerCut(Int64, clockIsBehind: Int64)
    /// The armed wake-up never comes.
    case wakeUpLost
    case zone(String)
    /// The switch's contact closes or opens, with this many edges, this far apart.
    case contact(isActive: Bool, edges: Int, apart: Int64)
    case switchLost
    case switchFound
    case muteFor(Int64)
    case muteNext
    case muteOn
    case unmute
    case stopByHand
    case ask(speakerIsAwake: Bool)
    /// The date of an alarm counts in days from the day on which it is set.
    case order(Wish)
    /// The button: stops or snoozes what rings, else stops the interval, else asks for the time.
    case press(speakerIsAwake: Bool)
    /// The button is kept pressed: what rings or is said stops.
    case holdButton
    case askFor(hour: Int, minute: Int)
    /// Asks for the time, to be heard this long from now.
    case askAhead(Int64)
    /// The owner changes one setting, chosen by the seed.
    case reload(UInt64, SoundChange)
    /// For the first duration, opening the speaker takes the second.
    case slowToOpen(Int64, Int64)
    case busy(Int64)
    case speakerLost
    /// For the first duration, the speaker has the second in its queue.
    case longQueue(Int64, Int64)
    /// From now on the speaker's converter is this many ppm too fast.
    case converter(Int64)
    /// For the first duration, the end of a stopped sounding is reported later by the second.
    case stopsLate(Int64, Int64)
  }
}

extension Incident.Kind {
  /// The name under which it is counted.
  var name: String {
    switch self {
    case .step: "step"
    case .synchronised: "synchronised"
    case .synchronisationLost: "synchronisation lost"
    case .rtc: "RTC"
    case .drift: "drift"
    case .slew: "slew"
    case .sleep: "sleep"
    case .stall: "late loop"
    case .restart: "restart"
    case .powerCut: "power cut"
    case .wakeUpLost: "wake-up lost"
    case .zone: "zone"
    case .contact(_, let edges, _): edges > 1 ? "switch chatters" : "switch"
    case .switchLost: "switch lost"
    case .switchFound: "switch found"
    case .muteFor: "mute for"
    case .muteNext: "mute next"
    case .muteOn: "mute"
    case .unmute: "unmute"
    case .stopByHand: "stop"
    case .ask: "ask"
    case .order(let wish):
      switch wish {
      case .startInterval, .stopInterval: "interval"
      case .setAlarm, .cancelAlarm, .skipAlarm, .snooze, .stopAlarms: "alarm"
      case .start, .add, .pause, .resume, .cancel, .tell: "timer"
      }
    case .press, .holdButton: "button"
    case .askFor: "ask for a time"
    case .askAhead: "ask for an instant"
    case .reload: "reload"
    case .slowToOpen: "speaker slow to open"
    case .busy: "speaker busy"
    case .speakerLost: "speaker lost"
    case .longQueue: "speaker late"
    case .converter: "speaker drifts"
    case .stopsLate: "speaker stops late"
    }
  }
}

extension Incident.Kind: CustomStringConvertible {
  var description: String {
    func span(_ nanoseconds: Int64) -> String {
      (nanoseconds < 0 ? "-" : "+") + Duration.nanoseconds(nanoseconds).roughly
    }
    func length(_ nanoseconds: Int64) -> String { Duration.nanoseconds(nanoseconds).roughly }
    return switch self {
    case .step(let by, let byServer):
      "\(byServer ? "a time server" : "a person") sets the clock by \(span(by))"
    case .synchronised: "the clock is synchronised"
    case .synchronisationLost(let atOnce):
      "no time server is heard" + (atOnce ? ", and the kernel knows nothing" : "")
    case .rtc(let rtc):
      switch rtc {
      case .none: "the RTC is pulled out"
      case .dead: "the RTC is dead"
      case .mute: "the RTC does not answer"
      case .running(let ahead): "there is an RTC, ahead by \(span(ahead))"
      }
    case .drift(let millionths): "the clock drifts by \(millionths) ppm"
    case .slew(let by): "the clock is slewed by \(span(by))"
    case .sleep(let time): "the machine sleeps for \(length(time))"
    case .stall(let time): "the loop is held up for \(length(time))"
    case .restart(let time): "the service is restarted, which takes \(length(time))"
    case .powerCut(let time, let behind):
      "the power is cut for \(length(time)); then the clock is behind by \(length(behind))"
    case .wakeUpLost: "the wake-up is lost"
    case .zone(let name): "the zone is \(name)"
    case .contact(let isActive, let edges, let apart):
      "the switch is put \(isActive ? "off" : "on")"
        + (edges > 1 ? ", with \(edges) edges \(length(apart)) apart" : "")
    case .switchLost: "the switch is lost"
    case .switchFound: "the switch is found"
    case .muteFor(let time): "muted for \(length(time))"
    case .muteNext: "the next occasion is muted"
    case .muteOn: "muted"
    case .unmute: "unmuted"
    case .stopByHand: "stopped by hand"
    case .order(let wish): "\(wish)"
    case .press: "the button is pressed"
    case .holdButton: "the button is held"
    case .ask(let isAwake): "asked for the time" + (isAwake ? ", the speaker is awake" : "")
    case .askFor(let hour, let minute): "asked for \(hour):\(minute < 10 ? "0" : "")\(minute)"
    case .askAhead(let ahead): "asked for the time in \(length(ahead))"
    case .reload(_, let sound): "the configuration is read again (sound: \(sound))"
    case .slowToOpen(let time, let opening):
      "for \(length(time)) the speaker takes \(length(opening)) to open"
    case .busy(let time): "the speaker is busy for \(length(time))"
    case .speakerLost: "the speaker is pulled out"
    case .longQueue(let time, let queue):
      "for \(length(time)) the speaker has \(length(queue)) in its queue"
    case .converter(let millionths): "the speaker drifts by \(millionths) ppm"
    case .stopsLate(let time, let late):
      "for \(length(time)) the end of what is stopped is told \(length(late)) later"
    }
  }
}
