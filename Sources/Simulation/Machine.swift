import Horology

/// A machine with a clock, a switch, a speaker and a service, as it is at one moment.
struct Machine {
  // MARK: The clocks

  /// Since the history began; and what the clock shows.
  var moment: Moment
  /// Since it was switched on, without and with sleep.
  var uptime = 10 * second
  var sinceBoot = 10 * second
  var boot = 1
  /// By how much the clock is ahead of the truth.
  var error: Int64 = 0
  var driftMillionths: Int64 = 0
  /// How fast the kernel slews the clock, in millionths, and until when, by the uptime. All clocks of
  /// the machine are slewed alike, so only the truth and the speaker's converter show it.
  private(set) var slewMillionths: Int64 = 0
  private(set) var slewEnds: Int64?
  var clock = ClockHardware()

  // MARK: The service

  var rules: OracleRules
  var zone: String
  /// What is armed; it never comes if it is lost.
  var wakeUp: Int64?
  var isWakeUpLost = false
  /// The clock was set, and the service has not been told.
  var wasSet = false
  /// When the service looks after itself next, by the uptime; nil while nothing calls for it.
  var pulse: Int64?
  /// When the service starts, by the uptime; nil while it runs.
  var starts: Int64?
  /// It ends once nothing sounds, and is started again after so long.
  var stopping: Int64?
  /// What has come and was not served yet.
  var inbox: [Note] = []
  var saved = Saved()

  // MARK: The switch

  /// What the contact is at.
  var isActive = false
  var isSwitchLost = false
  var contact: Contact?
  var ringer = Ringer.absent
  /// Edges to come, by the uptime; and those that nobody has read.
  var edges: [Edge] = []
  var unread: [Edge] = []

  // MARK: The speaker

  /// How much too fast its converter is, in millionths.
  var converterMillionths: Int64 = 0
  var slow = Spell()
  var busy = Spell()
  var queued = Spell()
  var late = Spell()

  init(shown: Int64, rules: OracleRules, zone: String) {
    moment = Moment(elapsed: 0, shown: shown)
    self.rules = rules
    self.zone = zone
  }

  struct Edge: Hashable {
    let uptime: Int64
    let isActive: Bool
  }

  /// For some time something takes long.
  struct Spell: Hashable {
    /// Since the history began.
    var until: Int64 = .min
    var length: Int64 = 0

    func length(at elapsed: Int64) -> Int64? { elapsed < until ? length : nil }
  }

  /// What is on the disk.
  struct Saved: Hashable {
    var mute = SoftwareMute.off
    var end: Duration?
    var timers: [Countdown] = []
    var interval: IntervalTimer?
    var alarms: [Alarm] = []
    var zoneOffset: Duration?
    var boot = 0
  }

  /// What waits for the loop.
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
  var now: Now {
    Now(
      instant: Instant(nanoseconds: moment.shown), uptime: Uptime(nanoseconds: uptime),
      sinceBoot: .nanoseconds(sinceBoot))
  }

  /// The uptime at which the clock will show it, if nobody sets it.
  func uptime(at shown: Int64) -> Int64 { uptime + shown - moment.shown }

  /// What the loop serves next: the switch before all else.
  mutating func takeNote() -> Note {
    let ofSwitch = inbox.firstIndex {
      switch $0 {
      case .edges, .switchLost: true
      default: false
      }
    }
    return inbox.remove(at: ofSwitch ?? 0)
  }

  /// A number that looks random, of this moment.
  func whim(_ most: Int64) -> Int64 {
    Int64((UInt64(bitPattern: moment.elapsed).mixed(with: 7)) % UInt64(most + 1))
  }

  /// Lets time pass over which nothing happens.
  mutating func pass(_ span: Int64) {
    moment = moment.later(by: span)
    uptime += span
    sinceBoot += span
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
    moment = moment.later(by: span)
    sinceBoot += span
    wasSet = true
  }
}
