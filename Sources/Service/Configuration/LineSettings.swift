import Devices

/// A GPIO line that is read, as its section of the configuration has it.
public struct InputSettings: Hashable, Sendable {
  /// By name or as `chip-label:offset`; nil if there is none.
  public var line: String?
  public var active = ActiveLevel.low
  /// How long the line must be inactive without a break until that counts.
  public var debounce = Duration.milliseconds(30)
}

/// A GPIO line that is driven.
public struct OutputSettings: Hashable, Sendable {
  /// By name or as `chip-label:offset`; nil if there is none.
  public var line: String?
  public var active = ActiveLevel.high
}

extension Configuration {
  /// True if somebody may silence it from one moment to the next.
  var hasControls: Bool { switchInput.line != nil || button.line != nil }
}
