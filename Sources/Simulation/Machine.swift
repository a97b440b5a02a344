import Horology

/// Nanoseconds in a millisecond, a second, a minute, an hour and a day.
let millisecond: Int64 = 1_000_000
let second: Int64 = 1_000_000_000
let minute: Int64 = 60 * second
let hour: Int64 = 60 * minute
let day: Int64 = 24 * hour

/// A moment: what all clocks show, in nanoseconds.
struct Moment: Hashable {
  /// Since the history began.
  var elapsed: Int64
  /// UTC by the machine's clock, since 1970.
  var shown: Int64
  /// Since power-on, without sleep and with sleep.
  var uptime: Int64
  var sinceBoot: Int64

  func later(by span: Int64) -> Moment {
    Moment(
      elapsed: elapsed + span, shown: shown + span, uptime: uptime + span,
      sinceBoot: sinceBoot + span)
  }

  var now: Now {
    Now(
      instant: Instant(nanoseconds: shown), uptime: Uptime(nanoseconds: uptime),
      sinceBoot: .nanoseconds(sinceBoot))
  }

  /// The uptime at which the clock will show this, if nobody sets it.
  func uptime(at shown: Int64) -> Int64 { uptime + shown - self.shown }

  /// A pseudo-random number from 0 to `most`, derived from this moment.
  func whim(_ most: Int64) -> Int64 {
    Int64((UInt64(bitPattern: elapsed).mixed(with: 7)) % UInt64(most + 1))
  }
}

extension Int64 {
  /// Before every history, as nanoseconds since its beginning.
  static let never = -1000 * day

  /// UTC date and time with milliseconds, of nanoseconds since 1970.
  var utcText: String {
    let thousandths = "\(1000 + self % second / millisecond)".dropFirst()
    return Instant(nanoseconds: self).utcText().dropLast() + ".\(thousandths)Z"
  }
}

/// The state of a machine with a switch, a speaker and a service, beside its clocks.
struct Machine {
  var boot = 1
  var clock = ClockHardware()

  // MARK: The service

  var settings: AnnouncerSettings
  var zone: String
  /// The armed wake-up, by the clock.
  var wakeUp: Int64?
  /// The clock was set, and the service does not know yet.
  var wasSet = false
  /// Uptime at which the service next judges its clock; nil while nothing calls for that.
  var judges: Int64?
  /// Uptime at which the service starts; nil while it runs.
  var starts: Int64?
  /// Not nil while the service is stopping: it ends once nothing sounds, and starts again this long
  /// after that.
  var stopping: Int64?
  /// Events that the loop has not served yet.
  var inbox: [Note] = []
  var saved = Saved()
  /// The last start of the machine after which the service has started.
  var servedBoot = 0

  // MARK: The switch

  /// True while the contact is closed.
  var isClosed = false
  var isSwitchLost = false
  /// The service's reading.
  var switchState = SwitchState.absent

  // MARK: The speaker

  var slow = Spell()
  var busy = Spell()
  var queued = Spell()

  /// A time in which the speaker is slow or busy.
  struct Spell: Hashable {
    /// Since the history began.
    var until: Int64 = .min
    var length: Int64 = 0

    func length(at moment: Moment) -> Int64? { moment.elapsed < until ? length : nil }
  }

  /// The state saved on disk.
  struct Saved: Hashable {
    var mute = SoftwareMute.off
    var end: Duration?
    var timers: [Reminder] = []
    var interval: IntervalTimer?
    var alarms: [Reminder] = []
    var boot = 0
  }

  /// An event for the loop.
  enum Note {
    /// The player looks at its device.
    case tick
    case clockSet
    /// The switch has moved at that uptime, or was lost.
    case switched(at: Int64)
    case stall(Int64)
    case incident(Incident.Kind)
  }

  /// The event that the loop serves next: the switch comes first.
  mutating func nextNote() -> Note {
    let ofSwitch = inbox.firstIndex { if case .switched = $0 { true } else { false } }
    return inbox.remove(at: ofSwitch ?? 0)
  }
}

/// What the kernel and an RTC chip can tell about the time.
struct ClockHardware: Hashable {
  /// How far the clock is ahead of true time.
  var ahead: Int64 = 0
  /// A time server is heard.
  var isSynchronised = true
  /// What the clock showed when it was last synchronised in this boot.
  private var synchronisedAt: Int64?
  var rtc = RTC.none

  /// A real-time clock.
  enum RTC: Hashable {
    case none
    /// Ahead of true time by this much.
    case running(ahead: Int64)
    /// Its battery is empty: the driver refuses its time.
    case dead
  }

  mutating func synchronise() {
    isSynchronised = true
    // The time server's client has the kernel set the RTC as well.
    if case .running = rtc { rtc = .running(ahead: 0) }
  }

  /// No server is heard any more, or somebody else has set the clock.
  mutating func lose(_ moment: Moment) {
    if isSynchronised { synchronisedAt = moment.shown }
    isSynchronised = false
  }

  /// The machine is switched on.
  /// - Parameter behind: how far the clock is behind true time without an RTC.
  /// - Returns: how far the clock is ahead of what it would show if it had gone on.
  mutating func start(behind: Int64) -> Int64 {
    let old = ahead
    ahead = -behind
    if case .running(let rtcAhead) = rtc { ahead = rtcAhead }
    (isSynchronised, synchronisedAt) = (false, nil)
    return ahead - old
  }

  func kernel(_ moment: Moment) -> KernelClock {
    KernelClock(
      maximumError: isSynchronised ? .milliseconds(1) : .seconds(16),
      timesyncd: isSynchronised
        ? Instant(nanoseconds: moment.shown)
        : synchronisedAt.map { Instant(nanoseconds: $0) })
  }

  /// The result of reading the RTC; nil if there is none.
  func reading(_ moment: Moment) -> RTCReading? {
    let answer: RTCReading.Answer
    switch rtc {
    case .none: return nil
    case .dead: answer = .notValid
    case .running(let ahead):
      answer = .time(Instant(seconds: (moment.shown - self.ahead + ahead) / second))
    }
    return RTCReading(
      name: "ds3231", moment: moment.now, answer: answer, flags: nil)
  }

  /// True if it was so since the machine was switched on, or if there is an RTC that may be right.
  var isVouchedFor: Bool {
    if case .running = rtc { return true }
    return isSynchronised || synchronisedAt != nil
  }
}
