import Basics
import Sound

/// A phrase as it was spoken, found fit for a pack (facts: voices, own recordings).
public struct Take: Sendable {
  public struct Refusal: Error, Hashable, CustomStringConvertible {
    public let description: String
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
    if let problem = Self.problem(ofLevel: Recording(samples: samples, rate: rate)) {
      throw Refusal(description: problem)
    }
    try self.init(cutting: samples, rate: rate, prompt, room: room)
    guard signalToNoise >= Self.leastSignalToNoise else {
      throw Refusal(
        description: "too noisy: the speech is "
          + "\(signalToNoise.text(decimals: 0, .down)) dB over the noise, under 35; make it "
          + "quieter or come closer, and say it again")
    }
    for (word, range) in zip(prompt.words, cut.words) {
      let loudness = try? Loudness(of: Array(self.samples[range]), rate: rate)
      if loudness.map(VoiceDraft.hasClick) ?? true {
        throw Refusal(description: "there is a click in '\(word.text)'; say it again")
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
    do throws(PhraseCut.Problem) {
      cut = try PhraseCut(recording.samples, rate: rate, count: prompt.words.count)
    } catch {
      throw Refusal(description: Self.words(for: error, prompt))
    }
    signalToNoise = cut.speech.decibelsOfPower - max(cut.noise.decibelsOfPower, room)
  }

  /// What is wrong with its level or length; nil if nothing is.
  private static func problem(ofLevel recording: Recording) -> String? {
    var recording = recording
    let clippedRun = recording.clippedRun
    recording.removeDC()
    let peak = Double(recording.peak).decibels
    if let clippedRun {
      return "clipped: \(clippedRun) samples in a row at full scale; turn the microphone down or "
        + "step back, and say it again"
    }
    if peak > peaks.upperBound {
      return "too loud: it peaks at \(peak.text(decimals: 1, .up)) dBFS, over -3; turn the "
        + "microphone down or step back, and say it again"
    }
    if peak < peaks.lowerBound {
      return "too soft: it peaks at \(peak.text(decimals: 1, .down)) dBFS, under -12; turn the "
        + "microphone up or come closer, and say it again"
    }
    if recording.seconds >= longest {
      return "too long: it goes on for \(recording.seconds.text(decimals: 0)) s; say it again, and "
        + "be quiet after it"
    }
    return nil
  }

  private static func words(for problem: PhraseCut.Problem, _ prompt: RecordingPrompt) -> String {
    let count = prompt.words.count
    switch problem {
    case .runTogether:
      return "the \(count) words run together; say them again with a short pause at each '...'"
    case .unclear:
      return "it is not clear where the \(count) words part; say them again with a short pause at "
        + "each '...', and none elsewhere"
    case .tooShort(let index):
      return "hardly anything is there of '\(prompt.words[index].text)'; say it again"
    case .tooLong(let index):
      return "'\(prompt.words[index].text)' goes on for too long; say it again, and pause after it"
    }
  }

  public var figures: String {
    let seconds = Double(samples.count) / Double(rate)
    return "peak \(peak.text(decimals: 1)) dBFS, \(signalToNoise.text(decimals: 0)) dB over the "
      + "noise, \(seconds.text(decimals: 1)) s"
  }

  /// Its words, each without the quiet around it, at the rate of a pack.
  func cutWords() throws(Fault) -> [Recording] {
    var words: [Recording] = []
    for range in cut.words {
      let converted = try RateConverter.convert(
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
    for var word in try cutWords() {
      let loudness = try Loudness(of: word.samples, rate: word.rate)
      word.amplify(by: min(VoiceDraft.usualLoudness - loudness.momentary, -1 - loudness.truePeak))
      word.fade()
      samples += (samples.isEmpty ? [] : gap) + word.samples
    }
    return Recording(samples: samples, rate: standardRate)
  }
}
