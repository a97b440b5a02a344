/// A signal on its moment: it waits for nothing, and what else sounds is turned down under it.
public struct Cue: Hashable, Sendable {
  /// Whose it is.
  public enum Source: Hashable, Sendable {
    /// By the timer's number.
    case timer(Int)
    /// There is one at a time.
    case interval
    /// By the alarm's number.
    case alarm(Int)
  }

  public let id: SoundingID
  public let source: Source
  public let signal: Signal
  /// What sounds in place of the signal, the first of them at the anchor; empty for the signal.
  public let blows: [Blow]
  /// When its first frame is to leave the converter, since the machine started, sleep included.
  public let anchor: Duration
  /// It does not begin later than this after its anchor.
  public let mayBeLateBy: Duration
  /// How loud, in dB at most 0, by the rules for the time at which it sounds.
  public let decibels: Double

  public init(
    _ id: SoundingID, of source: Source, _ signal: Signal, blows: [Blow] = [],
    at anchor: Duration, mayBeLateBy: Duration, decibels: Double
  ) {
    self.id = id
    self.source = source
    self.signal = signal
    self.blows = blows
    self.anchor = anchor
    self.mayBeLateBy = mayBeLateBy
    self.decibels = decibels
  }
}

extension Cue {
  /// It is one of those that are repeated until they are stopped.
  var isRing: Bool { signal == .ring }

  /// When the signal sounds in place of a tune that cannot be played, from the anchor on: as a ring
  /// without a tune does, and not after the last blow, where the words are.
  public var signalOffsets: [Duration] {
    let length = blows.last?.offset ?? .zero
    return (0...Int(length / DueCue.ringPeriod)).map { DueCue.ringPeriod * $0 }
  }

  /// When the next can follow it.
  var over: Duration {
    anchor + (blows.last.map { $0.offset + DueCue.afterTune * 2 } ?? DueCue.ringPeriod)
  }
}
