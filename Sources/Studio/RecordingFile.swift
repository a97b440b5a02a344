import Basics
import Sound

extension Recording {
  /// A recording that peaks lower holds no word: -40 dBFS.
  private static let faintest: Float = 0.01
  /// In seconds; no word is shorter.
  private static let shortest = 0.05

  /// Reads a recording of any format, rate and number of channels. Makes it a word at 48 kHz that
  /// is neither levelled nor faded.
  /// - Throws: `Fault` with the remedy if it is not a sound, is clipped, silent or too long, or
  ///   holds only a click.
  init(recorded path: String) throws(Fault) {
    let sound = try RecordedSound(path: path)
    func refuse(_ words: String) -> Fault { Fault("cannot use \(path)", words) }
    for channel in sound.channels {
      if let run = Recording(samples: channel, rate: sound.rate).clippedRun {
        throw refuse("it is clipped: \(run) samples in a row at full scale; record it less loudly")
      }
    }
    let mixed = Self.mixed(sound.channels)
    self.init(
      samples: try RateConverter.convert(mixed, from: sound.rate, to: standardRate),
      rate: standardRate)
    removeDC()
    guard peak >= Self.faintest else {
      throw refuse(
        "it is silent: it peaks at \(Double(peak).decibels.text(decimals: 0)) dBFS; record it again"
      )
    }
    var audibility = Audibility(rate: rate)
    audibility.add(samples)
    guard audibility.isHeard else { throw refuse(ClipFlaw.silent.words) }
    trim()
    removeDC()
    guard self.seconds >= Self.shortest else {
      throw refuse("there is a click in it and no word; record it again")
    }
  }

  /// The mean of the channels. If they cancel each other, as when one of two is inverted, the
  /// loudest of them.
  private static func mixed(_ channels: [[Float]]) -> [Float] {
    func power(_ samples: [Float]) -> Float { samples.reduce(0) { $0 + $1 * $1 } }
    let share = 1 / Float(channels.count)
    let mean = channels[0].indices.map { frame in channels.reduce(0) { $0 + $1[frame] } * share }
    let loudest = channels.max { power($0) < power($1) } ?? mean
    return power(mean) * 10 < power(loudest) ? loudest : mean
  }
}

extension Recording {
  /// Reads a clip of a pack as it is.
  /// - Throws: `Fault` if it is not a mono sound, or is too long or too short for a word.
  init(clip path: String) throws(Fault) {
    let file = try SoundFile(path: path)
    // Checked first, so that a clip that is far too long is never held in memory.
    if let flaw = ClipFlaw(seconds: file.seconds) {
      throw Fault("cannot use \(path)", flaw.words)
    }
    self.init(samples: try file.readChannels()[0], rate: file.rate)
  }
}
