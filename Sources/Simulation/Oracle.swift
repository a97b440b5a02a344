import Horology

/// Judges what was heard, and what was not, by what really happened. It shares no code with what
/// it judges: it reckons the time, the occasions, quiet hours and mutes by itself.
struct Oracle {
  /// The first thing that was not as it must be.
  private(set) var violation: Violation?
  /// How often something sounded, and how often each kind of incident struck.
  private(set) var soundings = 0
  private(set) var counts: [String: Int] = [:]

  var rules: Rules
  var face: Face
  var trust = ClockTrust.synchronised
  /// As the rules were before they were changed, and until when.
  private(set) var earlier: [(rules: Rules, face: Face, until: Int64)] = []
  private(set) var disturbances: [Disturbance] = []

  var mute = MuteReckoning()
  var lever = LeverReckoning()
  var passing = PassingReckoning()
  var clock = ClockReckoning()

  /// What is in the player, and since when.
  var played: Played?
  /// What is heard.
  var heard: Heard?
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
    /// Two things never sound at a time.
    case overlap
    /// Muted, nothing sounds.
    case muted
    /// In quiet hours nothing sounds by itself.
    case quiet
    /// No blow is late, no word later than it may be.
    case late
    /// Every occasion sounds, whole, or is skipped for a reason that is true.
    case complete
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
  enum Cause: CaseIterable {
    case clock, sleep, hold, service, speaker, lever, mute, trust, rules, hand, busy
  }

  struct Disturbance {
    let cause: Cause
    /// Since the history began.
    let at: Int64
    /// By how much the clock was set.
    let step: Int64
  }

  struct Played {
    let announcement: Announcement
    let since: Int64
    let trust: ClockTrust
  }

  struct Heard {
    let announcement: Announcement
    let began: Moment
    var anchor: Moment?
  }

  init(rules: Rules, face: Face) {
    self.rules = rules
    self.face = face
  }

  // MARK: What is known of the world

  mutating func violated(_ invariant: Invariant, _ what: String, _ moment: Moment) {
    guard violation == nil else { return }
    violation = Violation(invariant: invariant, what: what, shown: moment.shown)
  }

  mutating func count(_ kind: Incident.Kind) { counts[kind.name, default: 0] += 1 }

  mutating func sounded() { soundings += 1 }

  mutating func disturbed(_ cause: Cause, _ moment: Moment, step: Int64 = 0) {
    // What is longer ago explains nothing.
    if disturbances.count > 400 {
      disturbances.removeAll { $0.at < moment.elapsed - hour }
    }
    disturbances.append(Disturbance(cause: cause, at: moment.elapsed, step: step))
  }

  mutating func clockWasSet(by step: Int64, _ moment: Moment) {
    clock.set(by: step, moment)
    disturbed(.clock, moment, step: step)
  }

  mutating func slept(_ span: Int64, _ moment: Moment) {
    clock.readingIsOld(moment)
    disturbed(.sleep, moment)
  }

  mutating func take(_ rules: Rules, _ moment: Moment) {
    keep(moment)
    self.rules = rules
    takeOthers(moment)
    noteSilence(moment)
  }

  /// The occasions are others: those that are none any more need not sound.
  private mutating func takeOthers(_ moment: Moment) {
    passing.nextOccasion = nil
    passing.open.removeAll { !rules.isOccasion(face.reading($0.occasion)) }
    disturbed(.rules, moment)
  }

  mutating func take(_ face: Face, _ moment: Moment) {
    keep(moment)
    self.face = face
    takeOthers(moment)
  }

  // MARK: What it may be put down to

  /// True if something of this kind happened in that time.
  func happened(_ causes: Set<Cause>, since elapsed: Int64) -> Bool {
    disturbances.last { $0.at >= elapsed && causes.contains($0.cause) } != nil
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
  func valid(_ moment: Moment, for span: Int64? = nil) -> [(rules: Rules, face: Face)] {
    let span = span ?? longestQueue
    let recent = earlier.filter { $0.until >= moment.elapsed - span }
    return [(rules, face)] + recent.map { ($0.rules, $0.face) }
  }

  /// What counts no longer is remembered for a while.
  private mutating func keep(_ moment: Moment) {
    earlier.removeAll { $0.until < moment.elapsed - 5 * minute }
    earlier.append((rules, face, moment.elapsed))
  }

  /// From when on something may have been in the way of an occasion that is decided now.
  func window(of occasion: Int64, _ moment: Moment) -> Int64 {
    let lead = rules.piece(face.reading(occasion), isTrusted: true).lead
    return moment.elapsed - lead - rules.lateLimit - minute
  }
}

extension Instant {
  var shown: Int64 { nanoseconds }
}

extension CivilTime {
  func isSame(as reading: Face.Reading) -> Bool { minuteOfDay == reading.minuteOfDay }
}

extension Programme {
  /// In the words of the oracle.
  var piece: Rules.Piece {
    let words: Rules.Piece.Words =
      switch words {
      case .none: .none
      case .at(let offset): .at(offset.nanoseconds)
      case .before(let gap): .before(gap.nanoseconds)
      }
    return Rules.Piece(blows: blows.map(\.offset.nanoseconds), words: words)
  }
}
