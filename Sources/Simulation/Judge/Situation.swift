import Horology

/// The world as the timeline has left it: the rules, the zone, the switch, the clock's trust, what is
/// heard, and when something last disturbed.
struct Situation {
  private(set) var rules: OwnerRules
  private(set) var face: WallClock
  /// Earlier rules and zones, and until when each was valid.
  private var earlier: [(rules: OwnerRules, face: WallClock, until: Int64)] = []
  /// The steps of the clock of the last minutes.
  private(set) var steps: [(at: Int64, by: Int64)] = []
  private(set) var trust = ClockTrust.synchronised
  /// What the service reads of the switch, and since when that silences.
  private(set) var ringer = Ringer.absent
  private(set) var silencedSince: Int64?
  /// When the rules last changed.
  private(set) var tookAt: Int64 = .never
  /// Since when the service runs; nil while it does not.
  private(set) var upSince: Int64?
  private(set) var isStopping = false
  /// What is heard, and since when.
  private(set) var heard: [Int: (played: Played, since: Int64)] = [:]
  /// When an announcement was last heard, and how long none was heard before that one.
  private(set) var lastAnnounced = -day
  private(set) var pause: Int64 = 0
  /// By cause: until when it disturbed last, and was first seen to.
  private var until = [Int64](repeating: .never, count: Cause.allCases.count)

  /// A difference that nobody hears.
  static let tolerance = 10 * millisecond
  /// From a stop to silence.
  static let fade = 30 * millisecond

  init(rules: OwnerRules, face: WallClock) {
    self.rules = rules
    self.face = face
  }

  mutating func take(_ fact: Fact, _ at: Moment) {
    switch fact {
    case .disturbed(let cause, let lasting): disturbed(cause, at.elapsed + lasting)
    case .clockSet(let by):
      steps.removeAll { $0.at < at.elapsed - 10 * minute }
      steps.append((at.elapsed, by))
      disturbed(.clock, at.elapsed)
    case .held(let span): if span > 250 * millisecond { disturbed(.hold, at.elapsed) }
    case .powerCame: disturbed(.service, at.elapsed)
    case .judged(let trust, _, _, _):
      if trust != self.trust { disturbed(.trust, at.elapsed) }
      self.trust = trust
    case .started:
      (upSince, isStopping) = (at.elapsed, false)
      disturbed(.service, at.elapsed)
    case .stopping:
      isStopping = true
      disturbed(.service, at.elapsed)
    case .ended:
      upSince = nil
      heard = [:]
      ringer = .absent
      silencedSince = nil
      disturbed(.service, at.elapsed)
    case .took(let rules):
      keep(at)
      (self.rules, tookAt) = (rules, at.elapsed)
      noteSwitch(at)
    case .tookZone(let face):
      keep(at)
      self.face = face
    case .read(let ringer):
      self.ringer = ringer
      noteSwitch(at)
      disturbed(.contact, at.elapsed)
    case .muted: disturbed(.mute, at.elapsed)
    case .stoppedByHand, .pressed: disturbed(.hand, at.elapsed)
    case .heard(let kind, let played): hears(kind, played, at)
    case .contact, .saved, .rested, .asked, .promised, .ordered, .skipped, .cutOff, .refused, .told,
      .unsaid:
      break
    }
  }

  private mutating func hears(_ kind: Sound.Kind, _ played: Played, _ at: Moment) {
    if kind == .begins { heard[played.id] = (played, at.elapsed) }
    if kind == .ends { heard[played.id] = nil }
    guard played.isAnnouncement else { return }
    if kind == .begins { pause = at.elapsed - lastAnnounced }
    lastAnnounced = at.elapsed
  }

  private mutating func noteSwitch(_ at: Moment) {
    silencedSince = isSilenced ? silencedSince ?? at.elapsed : nil
  }

  private mutating func disturbed(_ cause: Cause, _ end: Int64) {
    until[cause.rawValue] = max(until[cause.rawValue], end)
  }

  /// Remembers the present rules and zone for a while after they change.
  private mutating func keep(_ at: Moment) {
    earlier.removeAll { $0.until < at.elapsed - 5 * minute }
    earlier.append((rules, face, at.elapsed))
    disturbed(.rules, at.elapsed)
  }

  // MARK: Questions

  /// True if nothing has disturbed since then but what people do.
  func isCalm(since elapsed: Int64) -> Bool {
    upSince.map { $0 < elapsed } == true && !isStopping && until.allSatisfy { $0 < elapsed }
  }

  /// True if one of these has disturbed since then.
  func happened(_ causes: [Cause], since elapsed: Int64) -> Bool {
    causes.contains { until[$0.rawValue] >= elapsed }
  }

  /// What the clock shows, and what it would show without its latest steps: a sound that is already
  /// queued cannot follow a step.
  func readings(_ at: Moment, within span: Int64 = 12 * second) -> [Int64] {
    var readings = [at.shown]
    for step in steps.reversed() where step.at >= at.elapsed - span {
      readings.append(readings.last! - step.by)
    }
    return readings
  }

  /// The sum of the latest steps that are too small to be noticed.
  func smallSteps(_ at: Moment) -> Int64 {
    let recent = steps.filter { $0.at >= at.elapsed - 2 * minute }
    let small = recent.map { abs($0.by) < 50 * millisecond ? abs($0.by) : 0 }.reduce(0, +)
    // Two large ones may add up to a small one.
    let sum = abs(recent.map(\.by).reduce(0, +))
    return max(small, sum < 50 * millisecond ? sum : 0)
  }

  /// The rules and zones that are valid, or were within this time.
  func valid(_ at: Moment, within span: Int64) -> [(rules: OwnerRules, face: WallClock)] {
    [(rules, face)]
      + earlier.filter { $0.until >= at.elapsed - span }.map { ($0.rules, $0.face) }
  }

  /// How long a ring may last that goes on now.
  func ringLimit(_ at: Moment) -> Int64 {
    valid(at, within: 5 * minute).map(\.rules.ringLimit).max()!
  }

  var isSilenced: Bool {
    switch ringer {
    case .absent, .on: false
    case .off: true
    case .lost: rules.whenLost == .mute
    }
  }

  /// True if the switch, as it is, silences this.
  func silences(_ played: Played) -> Bool {
    isSilenced && (!played.isReminder || rules.silences == .everything)
  }

  /// True if the switch silences timers, alarms and the interval.
  var silencesReminders: Bool { isSilenced && rules.silences == .everything }
}
