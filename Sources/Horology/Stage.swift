/// The announcement that is preparing, sounding or stopping: there is at most one.
struct Stage: Sendable {
  /// An announcement that has the speaker.
  struct Turn: Sendable {
    let announcement: Announcement
    /// How much of it was heard, as the player told.
    var heard = Heard.nothing
    /// It is being stopped before its anchor. Its occasion is open again once it has ended.
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

  mutating func begin(_ announcement: Announcement) {
    precondition(turn == nil, "there is one announcement at a time")
    count += 1
    turn = Turn(announcement: announcement)
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

  /// True if some of it was heard.
  var isHeard: Bool { turn.map { $0.heard != .nothing } ?? false }

  /// Notes that its occasion is to be decided again.
  mutating func takeBack() { turn?.isTakenBack = true }

  /// - Returns: the turn that is over; nil if another announcement has the speaker now.
  mutating func end(_ sounding: SoundingID) -> Turn? {
    guard let turn, turn.announcement.id == sounding else { return nil }
    self.turn = nil
    return turn
  }
}
