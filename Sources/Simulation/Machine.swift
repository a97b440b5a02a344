import Devices
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

/// The state of a machine with a clock, a switch, a speaker and a service.
struct Machine {
  // MARK: The clocks

  var moment: Moment
  var boot = 1
  /// How far the clock is ahead of true time.
  var error: Int64 = 0
  var driftMillionths: Int64 = 0
  /// How fast the kernel slews the clock, in ppm, and the uptime at which that ends. All clocks of
  /// the machine are slewed alike, so it shows only against true time and the speaker's converter.
  private(set) var slewMillionths: Int64 = 0
  private(set) var slewEnds: Int64?
  var clock = ClockHardware()

  // MARK: The service

  var settings: AnnouncerSettings
  var zone: String
  /// The armed wake-up, by the clock. It never comes if it is lost.
  var wakeUp: Int64?
  var isWakeUpLost = false
  /// The clock was set, and the service does not know yet.
  var wasSet = false
  /// Uptime of the service's next check of itself; nil while nothing calls for one.
  var pulse: Int64?
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
  var isActive = false
  var isSwitchLost = false
  var contact: Contact?
  var switchState = SwitchState.absent
  /// Edges to come, in order of uptime, and edges not read yet.
  var edges: [Edge] = []
  var unread: [Edge] = []

  // MARK: The speaker

  /// How much too fast its converter is, in millionths.
  var converterMillionths: Int64 = 0
  var slow = Spell()
  var busy = Spell()
  var queued = Spell()
  var late = Spell()

  init(shown: Int64, settings: AnnouncerSettings, zone: String) {
    moment = Moment(elapsed: 0, shown: shown, uptime: 10 * second, sinceBoot: 10 * second)
    self.settings = settings
    self.zone = zone
  }

  struct Edge: Hashable {
    let uptime: Int64
    let isActive: Bool
  }

  /// A time in which the speaker is slow, busy or late.
  struct Spell: Hashable {
    /// Since the history began.
    var until: Int64 = .min
    var length: Int64 = 0

    func length(at elapsed: Int64) -> Int64? { elapsed < until ? length : nil }
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
    case edges
    case switchLost
    case stall(Int64)
    case incident(Incident.Kind)
  }
}

extension Machine {
  var now: Now { moment.now }
  var uptime: Int64 { moment.uptime }

  func whim(_ most: Int64) -> Int64 { moment.whim(most) }

  /// The event that the loop serves next: the switch comes first.
  mutating func takeNote() -> Note {
    let ofSwitch = inbox.firstIndex {
      switch $0 {
      case .edges, .switchLost: true
      default: false
      }
    }
    return inbox.remove(at: ofSwitch ?? 0)
  }

  /// Lets time pass in which nothing happens.
  mutating func pass(_ span: Int64) {
    moment = moment.later(by: span)
    error += span / 1_000_000 * (driftMillionths + slewMillionths)
  }

  /// How much faster the converter is than the machine's clocks, in millionths.
  var paceMillionths: Int64 { converterMillionths - driftMillionths - slewMillionths }

  mutating func slew(by span: Int64) {
    slewMillionths = span < 0 ? -500 : 500
    slewEnds = uptime + abs(span) * 2000
  }

  mutating func endSlew() {
    slewMillionths = 0
    slewEnds = nil
  }

  mutating func set(by span: Int64) {
    moment.shown += span
    error += span
    wasSet = true
  }

  mutating func sleep(_ span: Int64) {
    let uptime = moment.uptime
    moment = moment.later(by: span)
    moment.uptime = uptime
    wasSet = true
  }
}
