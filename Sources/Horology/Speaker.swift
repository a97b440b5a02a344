/// The speaker, for which announcements wait: who has it, and the words that wait for it.
struct Speaker {
  /// An announcement that is preparing, sounding or stopping.
  struct Turn {
    let announcement: Announcement
    /// How much of it was heard, as the player told.
    fileprivate(set) var heard = Heard.nothing
    /// It is being stopped before its anchor. Its occasion is open again once it has ended.
    fileprivate(set) var isTakenBack = false
    /// The first reason to stop it, and the moment of that event.
    fileprivate(set) var stopped: (reason: StopReason, at: Uptime)?
  }

  /// Nil if the speaker is free: there is one announcement at a time.
  private(set) var turn: Turn?
  /// The last announcement that had the speaker.
  private(set) var last = SoundingID(0)
  /// Words about timers, alarms and the interval that wait for their moment, none twice.
  private(set) var words: [TimerWords] = []

  /// True if something of the announcement is heard.
  var isHeard: Bool { turn.map { $0.heard != .nothing } ?? false }

  // MARK: The announcement

  /// It has the speaker until the player has ended it. Words that it says wait no more.
  mutating func begin(_ announcement: Announcement) {
    precondition(turn == nil, "there is one announcement at a time")
    precondition(last < announcement.id, "no sounding has the number of another")
    last = announcement.id
    turn = Turn(announcement: announcement)
    if case .timer(let said) = announcement.cause { drop(said) }
  }

  mutating func heard(_ sounding: SoundingID, _ heard: Heard) {
    if turn?.announcement.id == sounding { turn?.heard = heard }
  }

  /// - Parameter reopens: false if no occasion is decided any more.
  mutating func silence(_ silence: Silence, at now: Now, reopens: Bool) -> [Effect] {
    guard var turn else { return [] }
    switch silence.announcement {
    case .goesOn: return []
    case .takenBack:
      guard turn.heard != .anchor, !turn.isTakenBack else { return [] }
      turn.isTakenBack = turn.announcement.cause.isOccasion && reopens
    case .stops: break
    }
    turn.stopped = turn.stopped ?? (silence.reason, silence.moment ?? now.uptime)
    self.turn = turn
    return [.stop(turn.announcement.id, silence.reason)]
  }

  /// The player has ended a sounding.
  /// - Returns: nil if it is not the announcement that has the speaker.
  mutating func end(_ sounding: SoundingID) -> Turn? {
    guard let ended = turn, ended.announcement.id == sounding else { return nil }
    turn = nil
    return ended
  }

  // MARK: The words that wait

  /// A cue that is given again brings its words again.
  mutating func plan(_ new: TimerWords) { if !words.contains(new) { words.append(new) } }

  /// Drops words that were said, or that can be said no more. The time is said once for all alarms
  /// that ring.
  mutating func drop(_ over: TimerWords) {
    words.removeAll { $0 == over || over.isOfTime && $0.isOfTime }
  }

  mutating func dropWords(of source: Cue.Source) { words.removeAll { $0.source == source } }

  /// Drops the words about how much is left of timers whose moment has not come.
  mutating func dropWordsOfLeft(at now: Now) {
    words.removeAll { $0.isOfLeft && now.sinceBoot < $0.from }
  }

  /// When words may begin next, or are dropped, since the machine started; nil if none wait. That
  /// other speech has ended is an event.
  func nextWords(at now: Now) -> Duration? {
    words.map { $0.from > now.sinceBoot ? $0.from : $0.until + .nanoseconds(1) }.min()
  }
}
