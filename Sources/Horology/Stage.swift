/// What is preparing, sounding or stopping: at most one of all that speaks and chimes.
struct Stage: Sendable {
  /// What has the speaker.
  struct Turn: Sendable {
    let announcement: Announcement
    /// What the clocks of the zone show at its anchor, by the zone that there was when it began.
    let shown: CivilTime
    /// The clock has shown its anchor, though it may have been set back since.
    var hasReachedAnchor = false
    /// By how much the clock was set since then.
    var shift = Duration.zero
    /// By how much the clock was set while it was heard, and that was followed; nil if it was not.
    var followed: Duration?
    /// It is being stopped before its anchor, and its occasion is open again.
    var isTakenBack = false
    /// When what stops it came about: the first, should several.
    var stoppedAt: Uptime?
  }

  private(set) var turn: Turn?
  /// How many there have been.
  private var count = 0

  var playing: Announcement? { turn?.announcement }

  /// Of what comes next.
  var nextID: SoundingID { SoundingID(count + 1) }

  /// For what sounds without the turn.
  mutating func takeID() -> SoundingID {
    count += 1
    return SoundingID(count)
  }

  /// - Parameter shown: at its anchor.
  mutating func begin(_ announcement: Announcement, showing shown: CivilTime) -> Effect {
    count += 1
    turn = Turn(announcement: announcement, shown: shown)
    return .play(announcement)
  }

  /// Fades out what has the turn.
  mutating func stop(_ reason: StopReason, at moment: Uptime) -> [Effect] {
    guard let turn else { return [] }
    self.turn?.stoppedAt = turn.stoppedAt ?? moment
    return [.stop(turn.announcement.id, reason)]
  }

  /// Takes in what the clock has shown.
  mutating func note(_ shown: Instant) {
    if let turn, shown >= turn.announcement.anchor { self.turn?.hasReachedAnchor = true }
  }

  /// Takes in that the clock was set after the anchor: what is still to come belongs to the anchor.
  mutating func shift(by jump: Duration) {
    if let turn, turn.hasReachedAnchor { self.turn?.shift = turn.shift + jump }
  }

  /// It goes on, although the clock may show again what it showed before it was heard.
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

  /// Its occasion is open again.
  mutating func takeBack() { turn?.isTakenBack = true }

  /// - Returns: the turn that is over; nil if another has it now.
  mutating func end(_ sounding: SoundingID) -> Turn? {
    guard let turn, turn.announcement.id == sounding else { return nil }
    self.turn = nil
    return turn
  }
}
