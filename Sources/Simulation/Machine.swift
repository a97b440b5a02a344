import Horology
import Service

/// Nanoseconds in a millisecond, a second, a minute, an hour and a day.
let millisecond: Int64 = 1_000_000
let second: Int64 = 1_000_000_000
let minute: Int64 = 60 * second
let hour: Int64 = 60 * minute
let day: Int64 = 24 * hour

/// A moment: what all clocks show, in nanoseconds.
struct Moment {
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
  var inbox: [Note] = []
  /// What the service has on its disk.
  var saved = SavedState()
  /// The last start of the machine after which the service has started.
  var servedBoot = 0

  /// The switch, and what the service reads of it.
  var contact = SwitchState.on
  var switchState = SwitchState.absent

  /// Until when opening it takes how long, and until when it is busy, since the history began.
  var slow: (until: Int64, length: Int64) = (.never, 0)
  var busyUntil: Int64 = .never

  enum Note {
    case tick
    case clockSet
    /// The switch has moved at that uptime, or was lost.
    case switched(at: Int64)
    case incident(Incident.Kind)
  }
}

/// What the kernel and an RTC chip can tell about the time.
struct ClockHardware {
  /// How far the clock is ahead of true time.
  var ahead: Int64 = 0
  var isSynchronised = true
  /// What the clock showed when it was last synchronised in this boot.
  var synchronisedAt: Int64?
  /// How far an RTC is ahead of true time; nil without one.
  var rtcAhead: Int64?

  mutating func synchronise() {
    isSynchronised = true
    // The time server's client has the kernel set the RTC as well.
    if rtcAhead != nil { rtcAhead = 0 }
  }

  /// No server is heard any more.
  mutating func lose(_ moment: Moment) {
    if isSynchronised { synchronisedAt = moment.shown }
    isSynchronised = false
  }

  func kernel(_ moment: Moment) -> KernelClock {
    KernelClock(
      maximumError: isSynchronised ? .milliseconds(1) : .seconds(16),
      timesyncd: (isSynchronised ? moment.shown : synchronisedAt).map { Instant(nanoseconds: $0) })
  }

  func reading(_ moment: Moment) -> RTCReading? {
    rtcAhead.map {
      RTCReading(
        name: "ds3231", moment: moment.now,
        answer: .time(Instant(seconds: (moment.shown - ahead + $0) / second)), flags: nil)
    }
  }
}
