import Basics
@preconcurrency import Glibc
import Sound

/// One spoken word in memory: its measurements, and the steps that make it fit for a pack.
public struct Recording: Sendable {
  public private(set) var samples: [Float]
  public let rate: Int

  /// No word is longer or shorter, in seconds.
  public static let longest = 5.0
  private static let shortest = 0.05
  /// A recording that peaks lower holds no word: -40 dBFS.
  private static let faintest: Float = 0.01
  /// Sound below this counts as silence: -40 dB of the peak.
  static let audible: Float = 0.01

  public init(samples: [Float], rate: Int) {
    self.samples = samples
    self.rate = rate
  }

  public var seconds: Double { Double(samples.count) / Double(rate) }
  public var peak: Float { samples.lazy.map(\.magnitude).max() ?? 0 }
  public var dc: Double {
    samples.reduce(0) { $0 + Double($1) } / Double(max(samples.count, 1))
  }

  /// In seconds.
  public var silence: (before: Double, after: Double) {
    let threshold = peak * Self.audible
    guard threshold > 0, let first = samples.firstIndex(where: { $0.magnitude >= threshold }),
      let last = samples.lastIndex(where: { $0.magnitude >= threshold })
    else { return (seconds, seconds) }
    return (Double(first) / Double(rate), Double(samples.count - 1 - last) / Double(rate))
  }

  /// True if its last 10 ms are less than 5 dB softer than its loudest, as where a file lost its rest.
  ///
  /// So end half of the words that are torn in their middle. Of 758 words that are cut where they
  /// fall 34 dB below their peak, none ends so (measured on the shipped voices and Asterisk's).
  var isCutOff: Bool {
    let powers = LevelTrack(samples.reversed(), rate: rate).powers
    guard let end = powers.first, let loudest = powers.max() else { return false }
    return end > loudest * (-5.0).powerOfDecibels
  }

  private var longestFlatTop: Int {
    var longest = 0
    var run = 0
    var last: Float = 0
    for sample in samples {
      run = sample.magnitude < 0.98 ? 0 : run > 0 && sample == last ? run + 1 : 1
      last = sample
      longest = max(longest, run)
    }
    return longest
  }

  /// The length of the longest flat top; nil if the recording is not clipped.
  var clippedRun: Int? {
    let run = longestFlatTop
    // Slow waves at high rates have flat tops of their own.
    guard run >= max(3, rate / 16_000) else { return nil }
    // So have all waves in a coarse coding, as 8 bit or mu-law. A wave of 80 Hz, a deep voice, stays
    // within a step of its peak for this long.
    let explained = (2 * codingStep).squareRoot() / (80 * .pi) * Double(rate)
    return Double(run) > explained ? run : nil
  }

  /// The least difference between two of its loud samples: the step of their coding.
  private var codingStep: Double {
    let levels = Set(samples.lazy.map(\.magnitude).filter { $0 > 0.5 }).sorted()
    return zip(levels, levels.dropFirst()).map { Double($1 - $0) }.min() ?? 0
  }

  /// The word in these samples, at 48 kHz, without the quiet around it.
  init(wordIn samples: [Float], rate: Int) {
    self.init(
      samples: RateConverter.convert(samples, from: rate, to: standardRate),
      rate: standardRate)
    removeDC()
    trim()
    removeDC()
  }

  public mutating func removeDC() {
    let dc = Float(dc)
    for index in samples.indices { samples[index] -= dc }
  }

  /// Cuts off everything but the word, with 8 ms before it and 25 ms after it.
  ///
  /// The word is where the RMS of 5 ms reaches -40 dB of the peak and is above the noise of the
  /// room: in single samples even the noise of a good recording reaches that.
  public mutating func trim() {
    let window = max(rate / 200, 1)
    let levels = stride(from: 0, to: samples.count, by: window).map { start in
      let part = samples[start..<min(start + window, samples.count)]
      return (part.reduce(0) { $0 + $1 * $1 } / Float(part.count)).squareRoot()
    }
    let threshold = max(peak * Self.audible, noise(levels))
    guard let first = levels.firstIndex(where: { $0 >= threshold }),
      let last = levels.lastIndex(where: { $0 >= threshold })
    else { return }
    let start = max(first * window - rate * 8 / 1000, 0)
    let end = min((last + 1) * window + rate * 25 / 1000, samples.count)
    samples = Array(samples[start..<end])
  }

  /// Twice the level of the quietest 50 ms; 0 if even those may be speech, as in a recording that
  /// is cut tightly.
  private func noise(_ levels: [Float]) -> Float {
    let count = 10
    guard levels.count > count else { return 0 }
    let quietest = levels.leastMean(of: count)
    return quietest * 2 <= peak / 32 ? quietest * 2 : 0
  }

  public mutating func amplify(by decibels: Double) {
    let factor = Float(pow(10, decibels / 20))
    for index in samples.indices { samples[index] *= factor }
  }

  public mutating func fade() {
    let frames = min(rate / 200, samples.count / 2)
    for step in 0..<frames {
      let level = (1 - cosf(Float(step) / Float(frames) * .pi)) / 2
      samples[step] *= level
      samples[samples.count - 1 - step] *= level
    }
  }

  public func write(to path: String) throws(Fault) {
    let writer = try SoundFileWriter(path: path, rate: rate)
    try writer.write(samples[...])
    try writer.finish()
  }
}

extension Double {
  var decibels: Double { self > 0 ? 20 * log10(self) : -.infinity }
}

extension Recording {
  /// Makes the loudest channel a word at 48 kHz that is neither levelled nor faded.
  init(recorded path: String) throws(Fault) {
    let sound = try RecordedSound(path: path)
    func refuse(_ words: String) -> Fault { Fault("cannot use \(path)", words) }
    func power(_ samples: [Float]) -> Float { samples.reduce(0) { $0 + $1 * $1 } }
    let loudest = sound.channels.max { power($0) < power($1) } ?? []
    if let run = Recording(samples: loudest, rate: sound.rate).clippedRun {
      throw refuse("it is clipped: \(run) samples in a row at full scale; record it less loudly")
    }
    self.init(wordIn: loudest, rate: sound.rate)
    guard peak >= Self.faintest else {
      throw refuse(
        "it is silent: it peaks at \(Double(peak).decibels.text(decimals: 0)) dBFS; record it again"
      )
    }
    guard self.seconds >= Self.shortest else {
      throw refuse("there is a click in it and no word; record it again")
    }
  }
}
