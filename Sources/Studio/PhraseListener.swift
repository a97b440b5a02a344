/// Takes a phrase out of a stream: from shortly before its first word until it is quiet.
public struct PhraseListener {
  public private(set) var hasBegun = false

  private let rate: Int
  private let threshold: Double
  private var samples: [Float] = []
  private var window: LevelWindow
  private var windows = 0
  /// Consecutive loud windows, or quiet ones once the phrase has begun.
  private var run = 0

  /// The windows that are ignored first: a key clicks, and so does a microphone that wakes up.
  private static let deaf = 25
  /// This many loud windows in a row are a voice and not a click.
  private static let beginning = 8
  private static let end = 90
  private static let before = 30

  /// - Parameter room: the noise of the room, in dBFS.
  public init(rate: Int, room: Double) {
    self.rate = rate
    window = LevelWindow(rate: rate)
    // A voice that is fit peaks over -12 dBFS; a breath stays under -50.
    threshold = max(room + 15, -50).powerOfDecibels
  }

  /// Takes the next frames, mono; full scale is 1.
  /// - Returns: the phrase, with the quiet around it, once it has ended; nothing is heard after it.
  public mutating func hear(_ block: UnsafeBufferPointer<Float>) -> [Float]? {
    for sample in block {
      samples.append(sample)
      if let power = window.add(sample), hasEnded(power) { return samples }
    }
    return nil
  }

  private mutating func hasEnded(_ power: Double) -> Bool {
    windows += 1
    let isLoud = power >= threshold && windows > Self.deaf
    run = isLoud == hasBegun ? 0 : run + 1
    if hasBegun { return run >= Self.end || samples.count > Int(Take.longest * Double(rate)) }
    hasBegun = run >= Self.beginning
    if hasBegun { run = 0 }
    let kept = (Self.before + Self.beginning) * window.frames
    if samples.count > kept { samples.removeFirst(samples.count - kept) }
    return false
  }
}

/// Measures the noise of a room.
public struct RoomTone {
  private var window: LevelWindow
  /// Of 10 ms each.
  private var powers: [Double] = []

  /// The most noise that is accepted, in dBFS.
  public static let most = -55.0
  /// The windows that are ignored first, because the key that starts it clicks, and those measured.
  private static let (deaf, length) = (40, 120)

  public init(rate: Int) {
    window = LevelWindow(rate: rate)
  }

  public mutating func hear(_ block: UnsafeBufferPointer<Float>) -> Double? {
    for sample in block { window.add(sample).map { powers.append($0) } }
    guard powers.count >= Self.deaf + Self.length else { return nil }
    let measured = powers[Self.deaf..<Self.deaf + Self.length]
    return (measured.reduce(0, +) / Double(Self.length)).decibelsOfPower
  }
}
