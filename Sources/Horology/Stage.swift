/// The announcement that is preparing, sounding or stopping: there is at most one.
struct Stage: Sendable {
  /// An announcement that has the speaker.
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
    /// Not nil while it is being stopped before its anchor and its occasion is open again.
    var takenBack: TakenBack?
    var isTakenBack: Bool { takenBack != nil }
    /// Why it was stopped first, and the moment of that event.
    var stopped: (reason: StopReason, at: Uptime)?
  }

  enum TakenBack {
    case unheard
    /// In its melody, as far as the clock tells.
    case heard
  }

  private(set) var turn: Turn?
  /// How many there have been.
  private var count = 0

  var playing: Announcement? { turn?.announcement }

  /// The identity of the next announcement.
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
    return .play(.announcement(announcement))
  }

  /// Fades out what has the turn.
  mutating func stop(_ reason: StopReason, at moment: Uptime) -> [Effect] {
    guard let turn else { return [] }
    self.turn?.stopped = turn.stopped ?? (reason, moment)
    return [.stop(turn.announcement.id, reason)]
  }

  /// Takes in what the clock has shown.
  mutating func note(_ shown: Instant) {
    if let turn, shown >= turn.announcement.anchor { self.turn?.hasReachedAnchor = true }
  }

  /// Takes in that the clock was set after the anchor: the words still come at the same distance
  /// from it.
  mutating func shift(by jump: Duration) {
    if let turn, turn.hasReachedAnchor { self.turn?.shift = turn.shift + jump }
  }

  /// It goes on through a step of the clock. It counts as heard even if the clock was set back to
  /// before its beginning.
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
  /// - Parameter shown: what the clock shows by the reckoning in which the anchor was set.
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
