/// What the ringer switch says, as far as it is known.
public enum Ringer: String, Hashable, Sendable {
  /// There is no switch.
  case absent = "none"
  case on
  /// The owner wants silence.
  case off
  /// There is a switch, but it cannot be read.
  case lost
}

/// What is done while the switch cannot be read.
public enum LostSwitchPolicy: String, CaseIterable, Sendable {
  case mute, sound
}

/// What the switch silences.
public enum SwitchScope: String, CaseIterable, Sendable {
  case everything
  /// Not the timers that a person has set, as the ringer switch of a telephone does.
  case announcements
}
