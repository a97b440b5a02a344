import Basics
import Sound

/// A phrase as it was spoken, found fit for a pack (facts: voices, own recordings).
public struct Take: Sendable {
  public struct Refusal: Error, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
      self.description = description
    }
  }

  public let prompt: RecordingPrompt
  public let samples: [Float]
  public let rate: Int
  /// In dBFS.
  public let peak: Double
  /// The level of the speech above the noise, in dB.
  public let signalToNoise: Double
  private let cut: PhraseCut

  static let peaks = -12.0 ... -3.0
  static let leastSignalToNoise = 35.0
  /// In seconds, with the quiet around it.
  static let longest = 10.0

  /// Judges the recording of a prompt.
  /// - Parameter room: the noise of the room, in dBFS.
  public init(
    of prompt: RecordingPrompt, samples: [Float], rate: Int, room: Double
  ) throws(Refusal) {
    try Self.judgeLevel(Recording(samples: samples, rate: rate))
    try self.init(cutting: samples, rate: rate, prompt, room: room)
    guard signalToNoise >= Self.leastSignalToNoise else {
      throw Refusal(
        "too noisy: the speech is \(signalToNoise.text(decimals: 0, .down)) dB over the noise, "
          + "under 35; make it quieter or come closer, and say it again")
    }
    for (word, range) in zip(prompt.words, cut.words) {
      let loudness = try? Loudness(of: Array(self.samples[range]), rate: rate)
      if loudness?.hasClick ?? true {
        throw Refusal("there is a click in '\(word.text)'; say it again")
      }
    }
  }

  /// Finds the words of a recording, without judging its level and noise.
  init(
    cutting samples: [Float], rate: Int, _ prompt: RecordingPrompt, room: Double = -.infinity
  ) throws(Refusal) {
    var recording = Recording(samples: samples, rate: rate)
    recording.removeDC()
    self.prompt = prompt
    self.samples = recording.samples
    self.rate = rate
    peak = Double(recording.peak).decibels
    cut = try PhraseCut(recording.samples, rate: rate, prompt)
    signalToNoise = cut.speech.decibelsOfPower - max(cut.noise.decibelsOfPower, room)
  }

  private static func judgeLevel(_ recording: Recording) throws(Refusal) {
    if let run = recording.clippedRun {
      throw Refusal(
        "clipped: \(run) samples in a row at full scale; turn the microphone down or step back, "
          + "and say it again")
    }
    var recording = recording
    recording.removeDC()
    let peak = Double(recording.peak).decibels
    if peak > peaks.upperBound {
      throw Refusal(
        "too loud: it peaks at \(peak.text(decimals: 1, .up)) dBFS, over -3; turn the microphone "
          + "down or step back, and say it again")
    }
    if peak < peaks.lowerBound {
      throw Refusal(
        "too soft: it peaks at \(peak.text(decimals: 1, .down)) dBFS, under -12; turn the "
          + "microphone up or come closer, and say it again")
    }
    if recording.seconds >= longest {
      throw Refusal(
        "too long: it goes on for \(recording.seconds.text(decimals: 0)) s; say it again, and be "
          + "quiet after it")
    }
  }

  public var figures: String {
    let seconds = Double(samples.count) / Double(rate)
    return "peak \(peak.text(decimals: 1)) dBFS, \(signalToNoise.text(decimals: 0)) dB over the "
      + "noise, \(seconds.text(decimals: 1)) s"
  }

  /// Its words, each without the quiet around it, at the rate of a pack.
  func cutWords() -> [Recording] {
    var words: [Recording] = []
    for range in cut.words {
      let converted = RateConverter.convert(
        Array(samples[range]), from: rate, to: standardRate)
      var word = Recording(samples: converted, rate: standardRate)
      word.removeDC()
      word.trim()
      word.removeDC()
      words.append(word)
    }
    return words
  }

  /// The phrase as the voice would say it: its words, levelled, with the pauses of a pack.
  /// - Returns: samples at 48 kHz.
  func spoken() throws(Fault) -> Recording {
    let gap = [Float](repeating: 0, count: standardRate * 60 / 1000)
    var samples: [Float] = []
    for var word in cutWords() {
      let loudness = try Loudness(of: word.samples, rate: word.rate)
      word.amplify(by: min(VoiceDraft.usualLoudness - loudness.momentary, -1 - loudness.truePeak))
      word.fade()
      samples += (samples.isEmpty ? [] : gap) + word.samples
    }
    return Recording(samples: samples, rate: standardRate)
  }
}
