/// How long the speaker is kept open after an announcement.
public enum KeepOpen: Hashable, Sendable {
  case lasting(Duration)
  case always
}

extension Player {
  /// The owner's settings for the speaker.
  public struct Settings: Hashable, Sendable {
    /// How much earlier than its instant an anchor leaves the converter.
    public var latencyOffset = Duration.zero
    /// Factor for every sample.
    public var gain: Float = 1
    /// True if the volume is set by a control of the card, when that is opened, and not by `gain`.
    public var usesMixer = false
    public var keepOpen = KeepOpen.lasting(.zero)

    public init() {}
  }
}
