import Basics

/// Listens to a stream and cuts a word out of it: from shortly before its sound until it has been
/// quiet for a while.
public struct WordListener {
  public enum Heard {
    case nothing
    case word(SpokenWord)
    /// Nothing was said for a long while. Reported once, with the loudest level in dBFS.
    case stillNothing(loudest: Double)
  }

  private let rate: Int
  private var samples: [Float] = []
  private var window: LevelWindow
  /// Consecutive loud windows, or quiet ones once the word has begun.
  private var run = 0
  private var hasBegun = false
  /// The windows that are ignored first: a key clicks, and so does a microphone that wakes up.
  private var deafWindows = 25
  private var windows = 0
  private var loudest = 0.0

  /// A voice that is fit peaks over -12 dBFS; a breath stays under -50, and the noise of a room that is
  /// fit too.
  private static let threshold = (-45.0).powerOfDecibels
  /// This many loud windows of 10 ms in a row are a voice and not a click.
  private static let beginning = 8
  private static let end = 70
  private static let before = 30
  private static let patience = 1500

  public init(rate: Int) {
    self.rate = rate
    window = LevelWindow(rate: rate)
  }

  /// Listens to the next frames, mono; full scale is 1.
  public mutating func hear(_ block: UnsafeBufferPointer<Float>) -> Heard {
    for sample in block {
      samples.append(sample)
      guard let power = window.add(sample) else { continue }
      let heard = next(power)
      // The rest of the block is quiet.
      if case .nothing = heard { continue }
      return heard
    }
    return .nothing
  }

  private mutating func next(_ power: Double) -> Heard {
    if deafWindows > 0 {
      deafWindows -= 1
      samples.removeAll()
      return .nothing
    }
    guard hasBegun else { return wait(power) }
    run = power < Self.threshold ? run + 1 : 0
    let isTooLong = Double(samples.count) > Recording.longest * Double(rate)
    guard run >= Self.end || isTooLong else { return .nothing }
    return .word(SpokenWord(samples, rate: rate))
  }

  private mutating func wait(_ power: Double) -> Heard {
    windows += 1
    loudest = max(loudest, power)
    run = power >= Self.threshold ? run + 1 : 0
    hasBegun = run >= Self.beginning
    if hasBegun { run = 0 }
    let kept = (Self.before + Self.beginning) * window.frames
    if samples.count > kept { samples.removeFirst(samples.count - kept) }
    return windows == Self.patience && !hasBegun
      ? .stillNothing(loudest: loudest.decibelsOfPower) : .nothing
  }
}

/// A word as it was spoken into a microphone, with the quiet around it.
public struct SpokenWord {
  public let recording: Recording
  /// In dBFS.
  private let peak: Double
  /// The level of the speech above the noise, in dB.
  private let signalToNoise: Double

  // The targets of facts/voices, own recordings.
  static let peaks = -12.0 ... -3.0
  private static let leastSignalToNoise = 35.0

  init(_ samples: [Float], rate: Int) {
    var recording = Recording(samples: samples, rate: rate)
    recording.removeDC()
    self.recording = recording
    peak = Double(recording.peak).decibels
    let track = LevelTrack(recording.samples, rate: rate)
    let noise = track.quietest
    // What is far below the loudest 10 ms, or hardly above the quiet, is no speech.
    let floor = max(
      (track.powers.max() ?? 0) * (-36.0).powerOfDecibels, noise * (9.0).powerOfDecibels)
    let speech = track.powers.filter { $0 >= floor }
    let power = speech.reduce(0, +) / Double(max(speech.count, 1))
    signalToNoise = power.decibelsOfPower - noise.decibelsOfPower
  }

  /// Why it is not fit for a voice, with what to do; nil if it is fit.
  public var flaw: String? {
    if recording.seconds >= Recording.longest {
      return "too long, or the room is not quiet: say it again, and be quiet after it"
    }
    if peak > Self.peaks.upperBound {
      return
        "too loud: it peaks at \(peak.text(decimals: 1, .up)) dBFS, over -3; turn the microphone "
        + "down or step back, and say it again"
    }
    if peak < Self.peaks.lowerBound {
      return "too soft: it peaks at \(peak.text(decimals: 1, .down)) dBFS, under -12; turn the "
        + "microphone up or come closer, and say it again"
    }
    if signalToNoise < Self.leastSignalToNoise {
      return
        "too noisy: it is \(signalToNoise.text(decimals: 0, .down)) dB over the noise, under 35; "
        + "make the room quieter or come closer, and say it again"
    }
    if (try? Loudness(of: recording.samples, rate: recording.rate)).map(\.hasClick) ?? true {
      return "there is a click in it; say it again"
    }
    return nil
  }

  /// As in `peak -6.0 dBFS, 48 dB over the noise`.
  public var figures: String {
    "peak \(peak.text(decimals: 1)) dBFS, \(signalToNoise.text(decimals: 0)) dB over the noise"
  }
}
