/// Listens to a stream and takes a phrase out of it: from shortly before the first word until it
/// has been quiet for a while.
public struct PhraseListener {
  public enum Heard {
    case nothing
    /// The phrase that was said, with the quiet around it.
    case phrase([Float])
    /// Nothing was said for a long while. Reported once, with the loudest level in dBFS.
    case stillNothing(loudest: Double)
  }

  private let rate: Int
  private let threshold: Double
  private var samples: [Float] = []
  private var window: LevelWindow
  /// Consecutive loud windows, or quiet ones once the phrase has begun.
  private var run = 0
  private var hasBegun = false
  /// The windows that are ignored first: a key clicks, and so does a microphone that wakes up.
  private var deafWindows = 25
  private var windows = 0
  private var loudest = 0.0

  /// This many loud windows of 10 ms in a row are a voice and not a click.
  private static let beginning = 8
  private static let end = 90
  private static let before = 30
  private static let patience = 1500

  /// - Parameter room: the noise of the room, in dBFS.
  public init(rate: Int, room: Double) {
    self.rate = rate
    window = LevelWindow(rate: rate)
    // A voice that is fit peaks over -12 dBFS; a breath stays under -50.
    threshold = max(room + 15, -50).powerOfDecibels
  }

  /// Takes the next frames, mono; full scale is 1.
  public mutating func hear(_ block: UnsafeBufferPointer<Float>) -> Heard {
    var heard = Heard.nothing
    for sample in block {
      samples.append(sample)
      guard let power = window.add(sample) else { continue }
      if case .nothing = heard {
        heard = next(power)
      } else {
        _ = next(power)
      }
    }
    return heard
  }

  public var isHearing: Bool { hasBegun }

  private mutating func next(_ power: Double) -> Heard {
    if deafWindows > 0 {
      deafWindows -= 1
      samples.removeAll()
      return .nothing
    }
    windows += 1
    guard hasBegun else { return wait(power) }
    run = power < threshold ? run + 1 : 0
    let isTooLong = samples.count > Int(Take.longest * Double(rate))
    guard run >= Self.end || isTooLong else { return .nothing }
    let phrase = samples
    // The next phrase is heard from here on.
    (samples, run, hasBegun, windows, loudest) = ([], 0, false, 0, 0)
    return .phrase(phrase)
  }

  private mutating func wait(_ power: Double) -> Heard {
    loudest = max(loudest, power)
    run = power >= threshold ? run + 1 : 0
    hasBegun = run >= Self.beginning
    if hasBegun { run = 0 }
    let kept = (Self.before + Self.beginning) * window.frames
    if samples.count > kept { samples.removeFirst(samples.count - kept) }
    return windows == Self.patience && !hasBegun
      ? .stillNothing(loudest: loudest.decibelsOfPower) : .nothing
  }
}

/// Measures the noise of a room.
public struct RoomTone {
  private let rate: Int
  private var samples: [Float] = []

  /// The most noise that is accepted, in dBFS (facts: voices, own recordings).
  public static let most = -55.0
  /// In seconds: the time ignored first, because the key that starts it clicks, and the time
  /// measured.
  private static let before = 0.4
  private static let length = 1.2

  public init(rate: Int) {
    self.rate = rate
  }

  public mutating func hear(_ block: UnsafeBufferPointer<Float>) -> Double? {
    samples += block
    let first = Int(Self.before * Double(rate))
    let end = first + Int(Self.length * Double(rate))
    guard samples.count >= end else { return nil }
    let powers = LevelTrack(samples[first..<end], rate: rate).powers
    return (powers.reduce(0, +) / Double(powers.count)).decibelsOfPower
  }
}
