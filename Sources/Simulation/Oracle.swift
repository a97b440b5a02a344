import Horology

/// Judges what was heard, and what was not, by what really happened. It shares no code with what
/// it judges: it reckons the time, the occasions, quiet hours and mutes by itself.
struct Oracle {
  /// The first violation; later ones are not kept.
  private(set) var violation: Violation?
  /// How often something sounded, and how often each kind of incident struck.
  private(set) var soundings = 0
  private(set) var counts: [String: Int] = [:]

  var rules: OracleRules
  var face: OracleFace
  var trust = ClockTrust.synchronised
  /// As the service has told it, or found it at its start.
  var toldTrust = ClockTrust.synchronised
  /// Earlier rules and faces, and until when each was valid.
  private(set) var earlier: [(rules: OracleRules, face: OracleFace, until: Int64)] = []
  private(set) var disturbances: [Disturbance] = []
  /// When each cause last struck, since the history began. The index is the cause's bit.
  private var struck = [Int64](repeating: .min, count: 13)

  var mute = MuteReckoning()
  var lever = OracleSwitch()
  var passing = PassingReckoning()
  var clock = ClockReckoning()
  var ledger = Ledger()
  var timers = TimerReckoning()
  /// When the service last looked at the clocks to decide something.
  var decided = Moment(elapsed: 0, shown: 0)
  /// systemd has stopped the service, and it has not started again.
  var isEnding = false
  var endsSince: Int64 = 0

  /// The announcement in the player, and since when.
  var played: Played?
  /// The announcement that is heard.
  var heard: Heard?
  /// The number of the last sounding given to the player since the service started.
  var lastPlayed = 0
  /// By when the sounding in the player must be silent, since the history began.
  var silentBy: Int64?
  /// The last occasion whose anchor was heard, and when.
  var lastAnchor: (occasion: Int64, moment: Moment)?
  var earlierAnchor: (occasion: Int64, moment: Moment)?
  /// The time asked for, and the time to be answered; nil means the current time.
  var asked: CivilTime?
  var askedAt = Moment(elapsed: 0, shown: 0)
  var askedFor: CivilTime?
  /// The player has an announcement.
  var isBusy = false

  /// Two readings of the clock this close together count as the same.
  static let tolerance = 10 * millisecond
  static let fade = 30 * millisecond

  enum Invariant: String, CaseIterable, Sendable {
    /// Words are true when they are heard.
    case truth
    /// No occasion sounds twice.
    case once
    /// Occasions sound in their order.
    case order
    /// Two announcements never sound together, nor do two rings.
    case overlap
    /// Nothing sounds while muted.
    case muted
    /// In quiet hours nothing sounds by itself.
    case quiet
    /// No blow is late, and no words are later than allowed.
    case late
    /// Every occasion sounds whole, or is skipped for a true reason.
    case complete
    /// A timer at zero, or an alarm at its time, rings until it is stopped or has rung out, and its
    /// words are said. Of several rings the loudest is heard, and of those the newest.
    case ring
    /// The clock is trusted as far as it may be, and no further.
    case trust
    /// The volume is the one that the rules set.
    case level
    /// The next wake-up is armed, and near. The service's check of itself passes while it works,
    /// and fails when its wake-up was lost.
    case wakes
  }

  struct Violation: Sendable {
    let invariant: Invariant
    let what: String
    let shown: Int64
  }

  /// A possible reason for something not to sound as it should.
  struct Cause: OptionSet {
    let rawValue: Int
    static let clock = Cause(rawValue: 1 << 0)
    static let sleep = Cause(rawValue: 1 << 1)
    static let hold = Cause(rawValue: 1 << 2)
    static let service = Cause(rawValue: 1 << 3)
    static let speaker = Cause(rawValue: 1 << 4)
    static let lever = Cause(rawValue: 1 << 5)
    static let mute = Cause(rawValue: 1 << 6)
    static let trust = Cause(rawValue: 1 << 7)
    static let rules = Cause(rawValue: 1 << 8)
    static let hand = Cause(rawValue: 1 << 9)
    static let busy = Cause(rawValue: 1 << 10)
    static let order = Cause(rawValue: 1 << 11)
    /// A ring has started or ended by itself. It does not excuse a ring that is due then.
    static let ring = Cause(rawValue: 1 << 12)
  }

  /// A step of the clock, or a loop that was held up.
  struct Disturbance {
    /// Since the history began.
    let at: Int64
    /// By how much the clock was set.
    let step: Int64
    /// How long the loop was held up.
    let length: Int64
  }

  struct Played {
    let announcement: Announcement
    let since: Int64
    let trust: ClockTrust
    /// The offset from UTC at its occasion, in the zone that was valid when it was played.
    let offset: Int64
    /// It is being stopped before its anchor, and its occasion is open again.
    var isTakenBack = false
    /// The first reason for which it was stopped.
    var stopped: StopReason?
    /// The speaker is open for it.
    var isOpen = false
    /// Its anchor was heard.
    var hasReachedAnchor = false
    /// The clock has shown its anchor while the speaker was open.
    var hasShownAnchor = false
    var hasBegun = false
  }

  struct Heard {
    let announcement: Announcement
    let began: Moment
    var anchor: Moment?
  }

  init(rules: OracleRules, face: OracleFace) {
    self.rules = rules
    self.face = face
  }

  // MARK: What is known of the world

  mutating func violated(_ invariant: Invariant, _ what: String, _ moment: Moment) {
    guard violation == nil else { return }
    violation = Violation(invariant: invariant, what: what, shown: moment.shown)
  }

  mutating func count(_ incident: String) { counts[incident, default: 0] += 1 }

  mutating func sounded() { soundings += 1 }

  mutating func disturbed(
    _ cause: Cause, _ moment: Moment, step: Int64 = 0, length: Int64 = 0
  ) {
    let bit = cause.rawValue.trailingZeroBitCount
    struck[bit] = max(struck[bit], moment.elapsed)
    guard step != 0 || length != 0 else { return }
    // Older disturbances explain nothing, unless they came after the service last rested.
    if disturbances.count > 400 {
      let oldest = min(moment.elapsed - hour, ledger.rested)
      disturbances.removeAll { $0.at < oldest }
    }
    disturbances.append(Disturbance(at: moment.elapsed, step: step, length: length))
  }

  mutating func clockWasSet(by step: Int64, _ moment: Moment) {
    clock.set(by: step, moment)
    clock.isJudged = false
    timers.clockWasSet(moment)
    disturbed(.clock, moment, step: step)
  }

  mutating func slept(_ span: Int64, _ moment: Moment) {
    clock.readingIsOld(moment)
    disturbed(.sleep, moment)
  }

  /// The service takes in new rules, and the switch as it reads it then.
  mutating func take(_ rules: OracleRules, _ ringer: Ringer, _ moment: Moment) {
    keep(moment)
    let wasSilenced = isSilencedBySwitch && isRuledBySwitch
    // Other changes leave the words that wait as they are.
    if rules.lead != self.rules.lead || rules.tellsLeft != self.rules.tellsLeft {
      timers.plansWords(moment)
    }
    self.rules = rules
    if ringer != lever.told { turned(to: ringer, moment) }
    takeOthers(moment)
    noteSilence(moment)
    if isSilencedBySwitch && !wasSilenced && isRuledBySwitch {
      mustBeSilent(by: moment.elapsed + Self.fade)
    }
    if areTimersSilenced { switchSilencesTimers(.rules, moment) }
    configureAlarms(moment)
  }

  /// The occasions have changed: an instant that no longer is one need not sound.
  private mutating func takeOthers(_ moment: Moment) {
    passing.nextOccasion = nil
    passing.open.removeAll { !rules.isOccasion(face.reading($0.occasion)) }
    disturbed(.rules, moment)
  }

  mutating func take(_ face: OracleFace, _ moment: Moment) {
    keep(moment)
    let before = self.face
    self.face = face
    takeOthers(moment)
    guard passing.previous != nil else { return }
    alarmsMove(from: before, isStart: false, moment)
    configureAlarms(moment)
  }

  // MARK: Possible causes

  /// True if one of these causes struck then or later.
  func happened(_ causes: Cause, since elapsed: Int64) -> Bool { last(causes) >= elapsed }

  /// When one of these last struck, since the history began; `.min` if none has.
  func last(_ causes: Cause) -> Int64 {
    var last = Int64.min
    var bits = causes.rawValue
    while bits != 0 {
      last = max(last, struck[bits.trailingZeroBitCount])
      bits &= bits - 1
    }
    return last
  }

  /// A sound may have been queued this long before it is heard.
  var longestQueue: Int64 {
    // Some sound servers have seconds in their queue.
    let isSlow = happened([.speaker], since: (played?.since ?? 0) - 10 * second)
    return isSlow ? 8 * second : 2 * second
  }

  /// What the clock shows, and what it would show without its latest steps. A sound that is already
  /// queued can no longer follow a step.
  func readings(_ moment: Moment) -> [Int64] {
    let queue = longestQueue
    var shown = moment.shown
    var readings = [shown]
    for disturbance in disturbances.reversed() where disturbance.step != 0 {
      guard disturbance.at >= moment.elapsed - queue else { break }
      shown -= disturbance.step
      readings.append(shown)
    }
    return readings
  }

  /// The sum of the clock's steps that are too small to be followed.
  func smallSteps(since elapsed: Int64) -> Int64 {
    let steps = disturbances.reversed().prefix { $0.at >= elapsed }.map(\.step)
    func small(_ step: Int64) -> Int64 { abs(step) < 50 * millisecond ? abs(step) : 0 }
    // Two large steps may add up to a small one.
    return max(steps.map(small).reduce(0, +), small(steps.reduce(0, +)))
  }

  /// The rules and faces that are valid, or were until `span` ago: by default the longest queue.
  func valid(_ moment: Moment, for span: Int64? = nil) -> [(rules: OracleRules, face: OracleFace)] {
    let span = span ?? longestQueue
    let recent = earlier.filter { $0.until >= moment.elapsed - span }
    return [(rules, face)] + recent.map { ($0.rules, $0.face) }
  }

  /// Remembers the current rules and face for a while after they change.
  private mutating func keep(_ moment: Moment) {
    earlier.removeAll { $0.until < moment.elapsed - 5 * minute }
    earlier.append((rules, face, moment.elapsed))
  }
}

extension Instant {
  var shown: Int64 { nanoseconds }
}

extension CivilTime {
  func isSame(as reading: OracleFace.Reading) -> Bool { minuteOfDay == reading.minuteOfDay }
}

extension Programme {
  /// The programme as the oracle's type.
  var piece: OracleRules.Piece {
    let words: OracleRules.Piece.Words =
      switch words {
      case .none: .none
      case .at(let offset): .at(offset.nanoseconds)
      case .before(let gap): .before(gap.nanoseconds)
      }
    return OracleRules.Piece(blows: blows.map(\.offset.nanoseconds), words: words)
  }
}
