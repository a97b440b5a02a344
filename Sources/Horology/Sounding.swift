public enum Sounding: Hashable, Sendable {
  /// It has the turn: there is only one at a time.
  case announcement(Announcement)
  /// It waits for nothing. Everything else that sounds is turned down under it.
  case cue(Cue)

  public var id: SoundingID {
    switch self {
    case .announcement(let announcement): announcement.id
    case .cue(let cue): cue.id
    }
  }

  public var anchor: Anchor {
    switch self {
    case .announcement(let announcement): .utc(announcement.anchor)
    case .cue(let cue): .elapsed(cue.anchor)
    }
  }

  /// It does not begin if its anchor frame would leave the converter later than this.
  public var mayBeLateBy: Duration? {
    switch self {
    case .announcement(let announcement): announcement.latest.map { $0 - announcement.anchor }
    case .cue(let cue): cue.mayBeLateBy
    }
  }

  /// The level in dB, at most 0, by the rules for the time at which it sounds.
  public var decibels: Double {
    switch self {
    case .announcement(let announcement): announcement.decibels
    case .cue(let cue): cue.decibels
    }
  }

  public var ducking: Ducking { if case .cue(let cue) = self { cue.ducking } else { .none } }
}

/// How long a sounding turns the others down.
public enum Ducking: Hashable, Sendable {
  case none
  case whole
  /// Until this long after its anchor, even if it still rings: words follow.
  case until(Duration)

  /// The others need this long to return to their level.
  public static let returnTakes = Duration.milliseconds(300)
}

/// Identifies a sounding. No number comes again while the service runs.
public struct SoundingID: Hashable, Comparable, Sendable {
  public let number: Int

  public init(_ number: Int) {
    self.number = number
  }

  public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}
