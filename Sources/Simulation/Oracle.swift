import Horology

/// Judges what was heard, and what was not, by what really happened. It shares no code with what
/// it judges: it reckons the time, the occasions, quiet hours and mutes by itself.
struct Oracle {
  /// The first thing that was not as it must be.
  private(set) var violation: Violation?
  /// How often something sounded, and how often each kind of incident struck.
  private(set) var soundings = 0
  private(set) var counts: [String: Int] = [:]

  var rules: OracleRules
  var face: OracleFace
  var trust = ClockTrust.synchronised
  /// As the rules were before they were changed, and until when.
  private(set) var earlier: [(rules: OracleRules, face: OracleFace, until: Int64)] = []
  private(set) var disturbances: [Disturbance] = []
  /// When each cause struck last, since the history began, by its bit.
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

  /// What is in the player, and since when.
  var played: Played?
  /// What is heard.
  var heard: Heard?
  /// The last that was given to the player since the service started, by its number.
  var lastPlayed = 0
  /// What was in the player must be silent by then, since the history began.
  var silentBy: Int64?
  /// When something was last heard of an occasion's anchor.
  var lastAnchor: (occasion: Int64, moment: Moment)?
  var earlierAnchor: (occasion: Int64, moment: Moment)?
  /// The time that is asked for, and the one that is to be answered; nil is now.
  var asked: CivilTime?
  var askedAt = Moment(elapsed: 0, shown: 0)
  var askedFor: CivilTime?
  /// The player has something.
  var isBusy = false

  /// How far apart two readings of the clock may be that mean the same.
  static let tolerance = 10 * millisecond
  static let fade = 30 * millisecond

  enum Invariant: String, CaseIterable, Sendable {
    /// What is said is true when it is heard.
    case truth
    /// No occasion sounds twice.
    case once
    /// Occasions sound in their order.
    case order
    /// Two announcements never sound at a time, nor do two rings.
    case overlap
    /// Muted, nothing sounds.
    case muted
    /// In quiet hours nothing sounds by itself.
    case quiet
    /// No blow is late, no word later than it may be.
    case late
    /// Every occasion sounds, whole, or is skipped for a reason that is true.
    case complete
    /// What is at zero rings until it is stopped or has rung out, and it is said what rings. Of
    /// several the loudest is heard, of those the newest.
    case ring
    /// The clock is trusted as far as it may be, and no further.
    case trust
    /// It is as loud as the rules have it.
    case level
    /// The next wake-up is armed, and near; who lives is known to live, who is dead is not.
    case wakes
  }

  struct Violation: Sendable {
    let invariant: Invariant
    let what: String
    let shown: Int64
  }

  /// What may be a reason for something not to sound as it should.
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
    /// What rings has come or ended by itself. Of a ring that is due then it excuses nothing.
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
    /// Of the zone by which it was given, at its occasion.
    let offset: Int64
    /// It is being stopped before its anchor, and its occasion is open again.
    var isTakenBack = false
    /// Why it was stopped first.
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
    // What is longer ago explains nothing, unless the service has slept since.
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

  mutating func take(_ rules: OracleRules, _ moment: Moment) {
    keep(moment)
    let wasSilenced = isSilencedBySwitch && isRuledBySwitch
    // Else what waits to be said goes on waiting.
    if rules.lead != self.rules.lead || rules.tellsLeft != self.rules.tellsLeft {
      timers.plansWords(moment)
    }
    self.rules = rules
    takeOthers(moment)
    noteSilence(moment)
    if isSilencedBySwitch && !wasSilenced && isRuledBySwitch {
      mustBeSilent(by: moment.elapsed + Self.fade)
    }
    if areTimersSilenced { switchSilencesTimers(.rules, moment) }
    configureAlarms(moment)
  }

  /// The occasions are others: those that are none any more need not sound.
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

  // MARK: What it may be put down to

  /// True if something of this kind happened in that time.
  func happened(_ causes: Cause, since elapsed: Int64) -> Bool { last(causes) >= elapsed }

  /// When one of these struck last, since the history began; long ago if none has.
  func last(_ causes: Cause) -> Int64 {
    var last = Int64.min
    var bits = causes.rawValue
    while bits != 0 {
      last = max(last, struck[bits.trailingZeroBitCount])
      bits &= bits - 1
    }
    return last
  }

  /// How long before it is heard the last of what is heard may have been queued.
  var longestQueue: Int64 {
    // Some sound servers have seconds in their queue.
    let isSlow = happened([.speaker], since: (played?.since ?? 0) - 10 * second)
    return isSlow ? 8 * second : 2 * second
  }

  /// What the clock would show had it not been set in the last moments: what is queued already
  /// can no longer be moved.
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

  /// By how much the clock was set in steps too small to be followed.
  func smallSteps(since elapsed: Int64) -> Int64 {
    let steps = disturbances.reversed().prefix { $0.at >= elapsed }.map(\.step)
    func small(_ step: Int64) -> Int64 { abs(step) < 50 * millisecond ? abs(step) : 0 }
    // Two large ones may leave a small one.
    return max(steps.map(small).reduce(0, +), small(steps.reduce(0, +)))
  }

  /// The rules and faces that count, or did until a moment ago.
  func valid(_ moment: Moment, for span: Int64? = nil) -> [(rules: OracleRules, face: OracleFace)] {
    let span = span ?? longestQueue
    let recent = earlier.filter { $0.until >= moment.elapsed - span }
    return [(rules, face)] + recent.map { ($0.rules, $0.face) }
  }

  /// What counts no longer is remembered for a while.
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
  /// In the words of the oracle.
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
