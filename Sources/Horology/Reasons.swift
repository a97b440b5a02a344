/// Why something did not sound.
public enum SkipReason: Hashable, Sendable {
  case quietHours
  case nothingToSound
  case untrusted
  /// The owner has not said in which zone the clock is.
  case noZone
  case switchOff
  /// The switch cannot be read, which mutes (`when_lost`).
  case switchLost
  case muted
  /// There was no time left for its chime, and it has no words.
  case tooLateForChime
  /// By how much the occasion was missed: after a suspend, or when the clock was set forward.
  case late(Duration)
  case busy
  /// The request came so close to an occasion that the occasion answers it.
  case occasionIsNear
  /// The request names an instant that comes before the answer can begin.
  case tooNear(within: Duration)
  /// The announcement could not be played, in the words of the device or the clips.
  case failed(String)
  case stopped(StopReason)
}

extension SkipReason: CustomStringConvertible {
  /// A few words that follow a colon, for the owner.
  public var description: String {
    let key: String? =
      switch self {
      case .untrusted: "untrusted"
      case .noZone: "zone"
      case .switchLost: "when_lost"
      default: nil
      }
    return flaw + (key.map { " (see '\($0)' in the configuration)" } ?? "")
  }

  var flaw: String {
    switch self {
    case .quietHours: "quiet hours"
    case .nothingToSound: "neither a chime nor the voice is set for it"
    case .untrusted: "the clock is not trusted"
    case .noZone: "the clock has no zone"
    case .switchOff: "the switch is off"
    case .switchLost: "the switch cannot be read"
    case .muted: "it is muted"
    case .late(let duration):
      "the clock passed it (set forward, or the machine slept); now \(duration.inWords) late"
    case .tooLateForChime: "there was no time left for its chime"
    case .busy: "the clock was saying something else"
    case .occasionIsNear: "the next announcement is about to be made"
    case .tooNear(let lead):
      "its instant is too near: it takes \(lead.nanoseconds / 1_000_000) ms to begin"
    case .failed(let why): why
    case .stopped(let reason): reason.description
    }
  }
}

extension SkipReason {
  /// For programs: it does not change.
  public var key: String {
    switch self {
    case .quietHours: "quiet_hours"
    case .nothingToSound: "nothing_to_sound"
    case .untrusted: "untrusted"
    case .noZone: "no_zone"
    case .switchOff: "switch_off"
    case .switchLost: "switch_lost"
    case .muted: "muted"
    case .tooLateForChime: "too_late_for_chime"
    case .late: "late"
    case .busy: "busy"
    case .occasionIsNear: "occasion_is_near"
    case .tooNear: "too_near"
    case .failed: "failed"
    case .stopped(let reason): reason.key
    }
  }
}

/// Why a sounding was stopped. The raw value is for programs, and does not change.
public enum StopReason: String, Sendable {
  case clockSet = "clock_set"
  case slept
  /// The zone or the configuration has changed.
  case rulesChanged = "rules_changed"
  case switchOff = "switch_off"
  /// The switch cannot be read, which silences (`when_lost`).
  case switchLost = "switch_lost"
  case muted
  case byHand = "by_hand"
  /// A person has started another interval in its place.
  case replaced
  case serviceEnds = "service_ends"

  public var key: String { rawValue }
}

extension StopReason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .clockSet: "the clock was set"
    case .slept: "the machine slept"
    case .rulesChanged: "the zone or the configuration was changed"
    case .switchOff: "the switch was turned off"
    case .switchLost: "the switch cannot be read"
    case .muted: "it was muted"
    case .byHand: "it was stopped by hand"
    case .replaced: "another interval took its place"
    case .serviceEnds: "the service was stopped"
    }
  }
}
