/// The announcement that is preparing, sounding or stopping: there is at most one.
struct Stage: Sendable {
  /// An announcement that has the speaker.
  struct Turn: Sendable {
    let announcement: Announcement
    /// The local time at its anchor, by the zone at the time when it began.
    let shown: CivilTime
    /// The clock has shown its anchor, though it may have been set back since.
    var hasReachedAnchor = false
    /// By how much the clock was set since it reached its anchor.
    var shift = Duration.zero
    /// The sum of the steps that it followed while it was heard; nil if there were none.
    var followed: Duration?
    /// Not nil while it is being stopped before its anchor and its occasion is open again.
    var takenBack: TakenBack?
    var isTakenBack: Bool { takenBack != nil }
    /// The first reason to stop it, and the moment of that event.
    var stopped: (reason: StopReason, at: Uptime)?
  }

  enum TakenBack {
    case unheard
    /// Its melody was heard, as far as the clock tells.
    case heard
  }

  private(set) var turn: Turn?
  /// How many soundings there have been.
  private var count = 0

  var playing: Announcement? { turn?.announcement }

  /// The identity of the next sounding.
  var nextID: SoundingID { SoundingID(count + 1) }

  /// A cue has the next identity. It sounds without the turn.
  mutating func countCue() { count += 1 }

  /// - Parameter shown: the local time at its anchor.
  mutating func begin(_ announcement: Announcement, showing shown: CivilTime) {
    precondition(turn == nil, "there is one announcement at a time")
    count += 1
    turn = Turn(announcement: announcement, shown: shown)
  }

  /// Fades out the announcement that has the turn.
  mutating func stop(_ reason: StopReason, at moment: Uptime) -> [Effect] {
    guard let turn else { return [] }
    self.turn?.stopped = turn.stopped ?? (reason, moment)
    return [.stop(turn.announcement.id, reason)]
  }

  /// Notes what the clock has shown.
  mutating func clockShowed(_ shown: Instant) {
    if let turn, shown >= turn.announcement.anchor { self.turn?.hasReachedAnchor = true }
  }

  /// Notes that the clock was set after the anchor: the words keep their distance from the anchor.
  mutating func shift(by jump: Duration) {
    if let turn, turn.hasReachedAnchor { self.turn?.shift = turn.shift + jump }
  }

  /// Lets it go on through a step of the clock. It counts as heard even if the clock was set back
  /// to before its beginning.
  mutating func follow(by step: Duration) {
    let before = turn?.followed ?? .zero
    turn?.followed = before + step
  }

  /// True if some of it has been heard, or is just about to be.
  func isHeard(at now: Now) -> Bool {
    turn.map {
      $0.followed != nil || $0.hasReachedAnchor || now.instant >= $0.announcement.begins
    } ?? false
  }

  /// Notes that its occasion is open again.
  /// - Parameter shown: what the clock would show without the step.
  mutating func takeBack(at shown: Instant) {
    guard let turn else { return }
    let isHeard = turn.followed != nil || shown >= turn.announcement.begins
    self.turn?.takenBack = isHeard ? .heard : .unheard
  }

  /// True if the melody of an occasion is being stopped, and the occasion is open again.
  func isCuttingOff(_ occasion: Occasion) -> Bool {
    turn.map { $0.takenBack == .heard && $0.announcement.cause == .occasion(occasion) } ?? false
  }

  /// - Returns: the turn that is over; nil if another announcement has the speaker now.
  mutating func end(_ sounding: SoundingID) -> Turn? {
    guard let turn, turn.announcement.id == sounding else { return nil }
    self.turn = nil
    return turn
  }
}
