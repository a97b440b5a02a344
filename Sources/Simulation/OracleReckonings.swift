import Horology

/// A mute, as the person who set it would reckon it.
struct MuteReckoning: Equatable {
  enum State: Equatable {
    case off, on, next
    /// Until this time since the history began.
    case through(Int64)
    /// Until the clock shows this.
    case until(Int64)
  }

  private(set) var state = State.off
  /// When it was set, since the history began.
  private(set) var since: Int64 = 0
  /// The latest that the clock showed just before it was set.
  private var latest: Int64 = .min
  /// The state that outlasts a power cut, and then ends by the clock. Nil if it is not known.
  private var saved: State? = State.off
  /// A mute may have been lost. The oracle cannot know.
  private var isUnsure = false
  /// The mute is over, and the service has not told so: held up, it may save it as running.
  private var isEndOwed = false
  /// What the clock shows at its end, as last reckoned.
  private var named: Int64 = 0
  /// `named` when the mute was last saved. A step of the clock while something sounds is not saved.
  private var savedName: Int64 = 0

  /// - Parameter readings: what the clock shows, and what it showed before it was set just now.
  mutating func take(_ mute: SoftwareMute, _ moment: Moment, _ readings: [Int64]) {
    since = moment.elapsed
    latest = readings.max() ?? moment.shown
    (isUnsure, isEndOwed) = (false, false)
    state =
      switch mute {
      case .off: .off
      case .on: .on
      case .next: .next
      case .until(let end): .through(moment.elapsed + end.shown - moment.shown)
      }
    look(moment)
  }

  /// The service takes the mute in. Until now it may have been opening the speaker.
  mutating func isTakenIn(_ moment: Moment) { latest = max(latest, moment.shown) }

  /// True if this changes the mute. False if a mute may have been lost: then nobody knows.
  func isOther(_ mute: SoftwareMute) -> Bool {
    if isUnsure { return false }
    return switch (mute, state) {
    case (.off, .off), (.on, .on), (.next, .next), (.until, .through), (.until, .until): false
    default: true
    }
  }

  /// The service reports a mute that nobody ordered.
  /// - Returns: false if the report is not true.
  mutating func told(_ mute: SoftwareMute, _ moment: Moment) -> Bool {
    isEndOwed = false
    if isUnsure || !isOther(mute) { return true }
    let left: Int64
    switch state {
    case .through(let end): left = end - moment.elapsed
    case .until(let end): left = end - moment.shown
    case .off, .on, .next: return false
    }
    // Steps of the clock that are too small to be noticed may end it a little earlier.
    guard mute == .off, left <= 60 * millisecond else { return false }
    state = .off
    return true
  }

  mutating func look(_ moment: Moment) {
    switch state {
    case .through(let end):
      named = moment.shown + end - moment.elapsed
      if moment.elapsed >= end { (state, isEndOwed) = (.off, true) }
    case .until(let end): if moment.shown >= end { (state, isEndOwed) = (.off, true) }
    default: break
    }
  }

  /// The occasion that was muted as the next has passed.
  mutating func passedNext(_ moment: Moment) {
    // Nobody knows which came first.
    if state == .next && since == moment.elapsed {
      isUnsure = true
    } else if state == .next || isUnsure {
      state = .off
    }
  }

  mutating func save() {
    saved = isUnsure || isEndOwed ? nil : state
    savedName = named
  }

  /// The service has ended: a mute that is not on the disk may be lost.
  mutating func end(_ moment: Moment) {
    if case .through(let end) = state, moment.elapsed >= end { state = .off }
    if saved != state { isUnsure = true }
  }

  /// The power was cut.
  mutating func powerCame(_ moment: Moment) {
    if case .through = state { state = .until(savedName) }
    saved = state
  }

  /// False if a sound that begins then was due already when the next occasion was muted.
  func isNext(_ begins: Int64, _ moment: Moment) -> Bool {
    max(latest, moment.shown - (moment.elapsed - since)) < begins
  }

  /// True if an occasion is muted; nil if that cannot be said.
  func covers(_ occasion: Int64, _ moment: Moment) -> Bool? {
    if isUnsure { return nil }
    let end: Int64
    switch state {
    case .off: return false
    case .on, .next: return true
    case .through(let elapsed): end = moment.shown + elapsed - moment.elapsed
    case .until(let shown): end = shown
    }
    return abs(occasion - end) < second ? nil : occasion < end
  }
}

/// The position of the switch, by its contact and by what the service was told.
struct OracleSwitch {
  /// How long an opened contact must be quiet before it counts.
  static let debounce = 50 * millisecond

  private var isActive = false
  /// When the contact was closed, and when it was opened.
  private var closedAt: Int64?
  private var openedAt: Int64?
  private var isLost = false
  /// What the service knows.
  private(set) var told = Ringer.absent
  /// Since when `told` silences, since the history began.
  private(set) var silentSince: Int64?
  /// It was closed while the loop was held up.
  private var isUnread = false
  /// The service has just read the level itself.
  private var isTaken = false

  mutating func edge(_ isActive: Bool, isHeld: Bool, _ moment: Moment) {
    if isActive && isHeld && isRead { isUnread = true }
    if isActive {
      let isBounce = openedAt.map { moment.elapsed - $0 < Self.debounce } ?? false
      if !self.isActive && !(isBounce && closedAt != nil) { closedAt = moment.elapsed }
      openedAt = nil
    } else if self.isActive {
      openedAt = moment.elapsed
    }
    self.isActive = isActive
  }

  mutating func set(lost: Bool, _ moment: Moment) {
    if isLost && !lost && isActive { closedAt = moment.elapsed }
    isLost = lost
    // Edges that were not read by then are lost with it. From here on `when_lost` counts.
    if lost { isUnread = false }
  }

  mutating func tell(_ ringer: Ringer) { told = ringer }

  /// The service reads the level, and believes it.
  mutating func take(isLost: Bool, _ moment: Moment) {
    set(lost: isLost, moment)
    isTaken = true
    isUnread = false
  }

  /// - Returns: true if it was closed while the loop was held up, and that still counts.
  mutating func release(_ moment: Moment) -> Bool {
    defer { isUnread = false }
    let isClosed = isActive || openedAt.map { moment.elapsed - $0 < Self.debounce } == true
    return isUnread && isClosed
  }

  mutating func rest() { isTaken = false }

  var isToldLost: Bool { if case .lost = told { true } else { false } }

  var isRead: Bool { !isLost && told != .absent }

  /// Since when it is open; nil if it is closed, or cannot be read.
  var openSince: Int64? { isActive || isLost ? nil : openedAt }

  /// True if the switch is taken for open before it was open for the debounce time.
  func bounces(_ ringer: Ringer, _ moment: Moment) -> Bool {
    guard ringer == .on, told == .off, !isTaken else { return false }
    return isActive || openedAt.map { moment.elapsed - $0 < Self.debounce } == true
  }

  mutating func note(isSilent: Bool, _ moment: Moment) {
    if !isSilent { silentSince = nil } else if silentSince == nil { silentSince = moment.elapsed }
  }

  /// True if the contact has been closed for longer than that.
  func isClosed(longerThan span: Int64, _ moment: Moment) -> Bool {
    isActive && !isLost && closedAt.map { moment.elapsed - $0 > span } == true
  }
}

/// What the clock has passed while the service ran.
struct PassingReckoning {
  /// An occasion that neither sounded nor was explained so far.
  struct Open {
    let occasion: Int64
    /// When that was seen, since the history began.
    let at: Int64
  }

  /// The readings when the service last looked at the clocks.
  var previous: (moment: Moment, uptime: Int64)?
  /// The latest that the clock has shown since the past was last forgotten.
  private(set) var reached: Int64 = .min
  /// A clock that shows less than this was wrong before.
  private(set) var horizon: Int64 = .min
  /// The earliest that the clock has shown since the past was last forgotten.
  var lowest: Int64 = .max
  var open: [Open] = []
  /// The occasions that have sounded or were explained.
  private(set) var accounted: Set<Int64> = []
  /// The last occasion that was reported as cut off. If it comes again and stays silent, no further
  /// report is needed.
  private(set) var cutOff: Int64?
  /// When each occasion sounded, since the history began.
  var sounded: [Int64: Int64] = [:]
  var lastBackStep: Int64 = .min
  /// When the past was last forgotten, since the history began.
  private(set) var forgotten: Int64 = .min
  /// When a sound last ended that may have been in the way of an occasion.
  var lastInTheWay: Int64 = .min
  /// The first occasion after what the clock showed last, if it is known.
  var nextOccasion: Int64?

  mutating func account(_ occasion: Int64) {
    accounted.insert(occasion)
    open.removeAll { $0.occasion == occasion }
    if accounted.count > 2000 { accounted = accounted.filter { $0 > reached - 3 * hour } }
    if sounded.count > 2000 { sounded = sounded.filter { $0.key > reached - 3 * hour } }
  }

  mutating func cutOff(_ occasion: Int64) {
    cutOff = occasion
    open.removeAll { $0.occasion == occasion }
  }

  /// Remembers only the occasions that the clock may come to again.
  mutating func account(_ occasions: ClosedRange<Int64>) {
    let recent = open.lazy.map(\.occasion)
      .filter { [reached] in occasions.contains($0) && $0 > reached - 3 * hour }
    accounted.formUnion(recent)
    open.removeAll { occasions.contains($0.occasion) }
  }

  /// - Parameter interval: the interval that is valid now. A shorter one does not raise the
  ///   horizon.
  mutating func reach(_ shown: Int64, _ interval: Int64) {
    if shown > reached { (reached, horizon) = (shown, shown - interval) }
    if interval > reached - horizon { horizon = reached - interval }
  }

  mutating func forget(_ moment: Moment) {
    forgotten = moment.elapsed
    accounted = []
    sounded = [:]
    reached = .min
  }

  mutating func start(_ shown: Int64, _ interval: Int64) {
    self = PassingReckoning()
    reach(shown, interval)
    lowest = shown
  }
}
