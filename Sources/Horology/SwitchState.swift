public enum SwitchState: Hashable, Sendable {
  case absent
  case on
  case off
  /// There is a switch, but it cannot be read, for this reason.
  case lost(String)

  /// As in `switch on`; nil where there is none.
  public var inWords: String? { self == .absent ? nil : "switch \(key)" }
}

public enum Lamp: Hashable, Sendable {
  case off
  case on
  case blinking
}

public enum LostSwitchPolicy: String, CaseIterable, Sendable {
  case mute, sound
}

public enum SwitchScope: String, CaseIterable, Sendable {
  case everything
  /// Not the timers that a person has set: like the ringer switch of a telephone.
  case announcements
}

extension SwitchState {
  public var key: String {
    switch self {
    case .absent: "absent"
    case .on: "on"
    case .off: "off"
    case .lost: "lost"
    }
  }
}
