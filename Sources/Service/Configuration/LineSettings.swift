import Devices

/// A GPIO input line, as its section of the configuration sets it.
public struct InputSettings: Hashable, Sendable {
  /// By name or as `chip-label:offset`; nil if there is none.
  public var line: String?
  public var active = ActiveLevel.low
  /// How long the line must stay inactive without a break before that counts.
  public var debounce = Duration.milliseconds(30)
}

/// A GPIO output line.
public struct OutputSettings: Hashable, Sendable {
  /// By name or as `chip-label:offset`; nil if there is none.
  public var line: String?
  public var active = ActiveLevel.high
}

extension Configuration {
  /// True if a person can silence the clock at any moment, with the switch or the button.
  var hasControls: Bool { switchInput.line != nil || button.line != nil }
}
