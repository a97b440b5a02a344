public enum SwitchState: Hashable, Sendable {
  case absent
  case on
  /// The owner wants silence.
  case off
  /// There is a switch, but it cannot be read, for this reason.
  case lost(String)

  /// As in `switch on`; nil where there is none.
  public var inWords: String? { self == .absent ? nil : "switch \(key)" }
}

/// What the lamp shows.
public enum Lamp: Hashable, Sendable {
  /// The clock is silent.
  case off
  /// It may sound.
  case on
  /// Its time is not to be trusted.
  case blinking
}

/// What is done while the switch cannot be read.
public enum LostSwitchPolicy: String, CaseIterable, Sendable {
  case mute, sound
}

/// What the switch silences.
public enum SwitchScope: String, CaseIterable, Sendable {
  case everything
  /// Not the timers that a person has set: like the ringer switch of a telephone.
  case announcements
}

extension SkipReason {
  /// True if a person can still end it before an occasion's instant.
  var mayEndInTime: Bool { self == .switchOff || self == .switchLost || self == .muted }
}

extension SwitchState {
  /// For programs: it does not change.
  public var key: String {
    switch self {
    case .absent: "absent"
    case .on: "on"
    case .off: "off"
    case .lost: "lost"
    }
  }
}
