/// The announcement that is preparing, sounding or stopping: there is at most one.
struct Stage: Sendable {
  /// An announcement that has the speaker.
  struct Turn: Sendable {
    let announcement: Announcement
    /// The local time at its anchor, by the zone at the time when it began.
    let shown: CivilTime
    /// How much of it was heard, as the player told.
    var heard = Heard.nothing
    /// By how much the clock was set since it reached its anchor.
    var shift = Duration.zero
    /// It is being stopped before its anchor, and its occasion is open again.
    var isTakenBack = false
    /// The first reason to stop it, and the moment of that event.
    var stopped: (reason: StopReason, at: Uptime)?
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

  /// The player tells how much of a sounding was heard.
  mutating func heard(_ heard: Heard, of sounding: SoundingID) {
    if turn?.announcement.id == sounding { turn?.heard = heard }
  }

  /// Notes that the clock was set after the anchor: the words keep their distance from the anchor.
  mutating func shift(by jump: Duration) {
    if let turn, turn.heard == .anchor { self.turn?.shift = turn.shift + jump }
  }

  /// True if some of it was heard.
  var isHeard: Bool { turn.map { $0.heard != .nothing } ?? false }

  /// Notes that its occasion is open again.
  mutating func takeBack() { turn?.isTakenBack = true }

  /// True if the announcement of this occasion is being stopped, and the occasion is open again.
  func isTakingBack(_ occasion: Occasion) -> Bool {
    turn.map { $0.isTakenBack && $0.announcement.cause == .occasion(occasion) } ?? false
  }

  /// - Returns: the turn that is over; nil if another announcement has the speaker now.
  mutating func end(_ sounding: SoundingID) -> Turn? {
    guard let turn, turn.announcement.id == sounding else { return nil }
    self.turn = nil
    return turn
  }
}
