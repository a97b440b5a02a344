/// A signal at an exact moment. It waits for nothing; other sounds are turned down under it.
public struct Cue: Hashable, Sendable {
  /// The timer or alarm, by its number, or the interval that a cue belongs to.
  public enum Source: Hashable, Sendable {
    case timer(Int)
    case interval
    case alarm(Int)
  }

  public let id: SoundingID
  public let source: Source
  public let signal: Signal
  /// The blows that sound instead of the signal, the first at the anchor; empty for the signal.
  public let blows: [Blow]
  /// When its first frame is to leave the converter, since the machine started, sleep included.
  public let anchor: Duration
  /// How late after its anchor it may begin.
  public let mayBeLateBy: Duration
  /// Level in dB, at most 0, by the rules for the time at which it sounds.
  public let decibels: Double

  /// From the last blow of a tune to the words, and from the words to the tune again.
  static let afterTune = Duration.seconds(3)
  /// From one ring to the next. The second is left out, because the words are said then.
  static let ringPeriod = Duration.seconds(3)
  /// A cue later than this is dropped, because the next one is near.
  static let latest = Duration.seconds(1)

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
  /// True if it is repeated until it is stopped.
  var isRing: Bool { signal == .ring }

  /// The anchor of the first ring with the signal at `earliest` or later, of those that began at
  /// `since`. All are moments since the machine started.
  static func ring(since: Duration, from earliest: Duration) -> Duration {
    let count = max(earliest - since, .zero).periods(of: ringPeriod)
    return since + ringPeriod * (count == 1 ? 2 : count)
  }

  /// Offsets of the signal from the anchor, if it replaces a tune that cannot be played: one each
  /// ring period, none after the last blow, where the words come.
  public var signalOffsets: [Duration] {
    let length = blows.last?.offset ?? .zero
    return (0...Int(length / Self.ringPeriod)).map { Self.ringPeriod * $0 }
  }

  /// Stops ducking when the words after a ring or a tune begin; its bells ring on under them.
  var ducking: Ducking {
    let words = blows.last.map { $0.offset + Self.afterTune } ?? (isRing ? signal.length : nil)
    return words.map { .until($0 - Ducking.returnTakes) } ?? .whole
  }

  /// When the next cue of its source can begin, since the machine started.
  var over: Duration {
    if let last = blows.last { return anchor + last.offset + Self.afterTune * 2 }
    return anchor + (isRing ? Self.ringPeriod : .nanoseconds(1))
  }
}
