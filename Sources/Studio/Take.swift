import Basics
import Sound

/// A phrase as it was spoken, found fit for a pack.
public struct Take: Sendable {
  let prompt: RecordingPrompt
  let samples: [Float]
  let rate: Int
  private let cut: PhraseCut

  static let peaks = -12.0 ... -3.0
  static let leastSignalToNoise = 35.0
  /// In seconds, with the quiet around it.
  static let longest = 10.0

  /// - Parameter room: the noise of the room, in dBFS.
  public init(
    of prompt: RecordingPrompt, samples: [Float], rate: Int, room: Double
  ) throws(Fault) {
    var recording = Recording(samples: samples, rate: rate)
    recording.removeDC()
    let peak = Double(recording.peak).decibels
    if peak > Self.peaks.upperBound {
      throw Self.refusal(
        "clipped or too loud: it peaks at \(peak.text(decimals: 1, .up)) dBFS, over -3; turn the "
          + "microphone down or step back, and say it again")
    }
    if peak < Self.peaks.lowerBound {
      throw Self.refusal(
        "too soft: it peaks at \(peak.text(decimals: 1, .down)) dBFS, under -12; turn the "
          + "microphone up or come closer, and say it again")
    }
    try self.init(cutting: samples, rate: rate, prompt)
    let signalToNoise = cut.speech.decibelsOfPower - max(cut.noise.decibelsOfPower, room)
    guard signalToNoise >= Self.leastSignalToNoise else {
      throw Self.refusal(
        "too noisy: the speech is \(signalToNoise.text(decimals: 0, .down)) dB over the noise, "
          + "under 35; make it quieter or come closer, and say it again")
    }
    for (word, range) in zip(prompt.words, cut.words)
    where Loudness(of: Array(self.samples[range]), rate: rate).hasClick {
      throw Self.refusal("there is a click in '\(word.text)'; say it again")
    }
  }

  /// Finds the words of a recording, without judging its level and noise.
  init(cutting samples: [Float], rate: Int, _ prompt: RecordingPrompt) throws(Fault) {
    var recording = Recording(samples: samples, rate: rate)
    recording.removeDC()
    (self.prompt, self.samples, self.rate) = (prompt, recording.samples, rate)
    cut = try PhraseCut(recording.samples, rate: rate, prompt)
  }

  static func refusal(_ words: String) -> Fault { Fault("cannot use this take", words) }

  func cutWords() -> [Recording] {
    cut.words.map { Recording(wordIn: Array(samples[$0]), rate: rate) }
  }
}
