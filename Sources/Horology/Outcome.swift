/// How a sounding ended.
public enum Outcome: Hashable, Sendable {
  /// It sounded whole.
  case finished(Timing)
  /// It was faded out and silent from `silentAt` on; nil if nothing of it was heard.
  case stopped(StopReason, silentAt: Uptime?)
  /// The speaker was ready this long after the anchor. That was too late; nothing was heard.
  case tooLate(by: Duration)
  /// It could not be played, or not to its end.
  /// A device that fails at once may have told of sound that nobody heard: `heard` is right.
  case failed(String, heard: Heard)
}

/// How much of a sounding was heard.
public enum Heard: Comparable, Sendable {
  case nothing
  /// It began, but its anchor was not heard.
  case begun
  /// Its anchor was heard, whatever the clock shows now.
  case anchor
}

/// How well an announcement met its instants, by the converter's own time stamps.
public struct Timing: Hashable, Sendable {
  /// Positive if the anchor frame left the converter after its instant. Nil if that was not
  /// measured: there is no blow at the anchor, or the device told too little.
  public let onsetError: Duration?
  /// The largest error of the anchor or any other blow, early or late; nil if none was measured.
  public let worstError: Duration?
  /// How often the converter ran out of frames.
  public let underruns: Int

  public init(onsetError: Duration?, worstError: Duration?, underruns: Int) {
    self.onsetError = onsetError
    self.worstError = worstError
    self.underruns = underruns
  }
}
