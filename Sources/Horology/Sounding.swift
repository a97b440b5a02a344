/// What sounds once, by an identity of its own.
public enum Sounding: Hashable, Sendable {
  /// It has the turn: of these there is one at a time.
  case announcement(Announcement)
  /// It waits for nothing, and what else sounds is turned down under it.
  case cue(Cue)

  public var id: SoundingID {
    switch self {
    case .announcement(let announcement): announcement.id
    case .cue(let cue): cue.id
    }
  }

  /// When its anchor frame is to leave the converter.
  public var anchor: Anchor {
    switch self {
    case .announcement(let announcement): .utc(announcement.anchor)
    case .cue(let cue): .elapsed(cue.anchor)
    }
  }

  /// It does not begin if its anchor frame cannot leave the converter by then; nil if it may be late
  /// at will.
  public var mayBeLateBy: Duration? {
    switch self {
    case .announcement(let announcement): announcement.latest.map { $0 - announcement.anchor }
    case .cue(let cue): cue.mayBeLateBy
    }
  }

  /// How loud, in dB at most 0, by the rules for the time at which it sounds.
  public var decibels: Double {
    switch self {
    case .announcement(let announcement): announcement.decibels
    case .cue(let cue): cue.decibels
    }
  }

  public var ducksOthers: Bool { if case .cue = self { true } else { false } }
}
