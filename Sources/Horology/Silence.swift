/// Which soundings stop, and why: the Announcer's answer to whatever silences.
struct Silence {
  /// The cues that the player loses. Those still to come are given again.
  enum Cues {
    case none
    case all(finishesHeard: Bool)
    case of(Set<Cue.Source>)
    /// The rings in whose place another is heard.
    case replaced(by: Rings)
  }

  /// What becomes of the announcement that has the speaker.
  enum Fate {
    case goesOn
    /// It stops unless its anchor was heard. Its occasion is decided again once it has ended.
    case takenBack
    case stops
  }

  let reason: StopReason
  /// When the event that silences came: how long a sounding goes on is counted from here. Nil for now.
  var moment: Uptime?
  /// The rings that are over.
  var rings: [Reminder.Kind] = []
  /// The interval is over, with its last signal.
  var interval = false
  var cues = Cues.none
  var announcement = Fate.goesOn
}
