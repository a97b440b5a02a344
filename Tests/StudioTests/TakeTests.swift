import Basics
import Foundation
import Horology
import Sound
import TestSupport
import Testing

@testable import Studio

/// A phrase as if spoken: tones for words, with the noise of a room throughout.
private struct Phrase {
  var words = [0.3, 0.4, 0.3]
  var pauses = [0.25, 0.25]
  var level: Float = 0.5
  var noise: Float = 0.0006
  /// Seconds of noise before the first word, and after the last.
  var around = 0.3

  func samples(rate: Int = 48_000) -> [Float] {
    var generator = SplitMix64(seed: 5)
    func part(_ seconds: Double, _ level: Float) -> [Float] {
      let count = Int(seconds * Double(rate))
      return (0..<count).map { frame in
        // A word rises and falls.
        let envelope = sinf(.pi * (Float(frame) + 0.5) / Float(count)).squareRoot()
        let hiss = Float(generator.nextSigned())
        return level * envelope * sinf(Float(frame) * 400 * .pi / Float(rate)) + hiss * noise
      }
    }
    var samples = part(around, 0)
    for (index, word) in words.enumerated() {
      samples += part(word, level)
      samples += part(index < pauses.count ? pauses[index] : around, 0)
    }
    return samples
  }
}

private let prompt = RecordingPlan.quarters.prompts[2]

@Suite struct TakeTests {
  private func refusal(of phrase: Phrase, room: Double = -70) -> String {
    let fault = faultThrown {
      _ = try Take(of: prompt, samples: phrase.samples(), rate: 48_000, room: room)
    }
    return fault?.detail ?? "fit"
  }

  @Test("a phrase is cut into its words") func phraseIsCut() throws {
    let take = try Take(of: prompt, samples: Phrase().samples(), rate: 48_000, room: -70)
    let seconds = take.cutWords().map(\.seconds)
    #expect(zip(seconds, [0.3, 0.4, 0.3]).allSatisfy { abs($0 - $1) < 0.06 }, "\(seconds)")
  }

  @Test("the rate of a microphone does not matter", arguments: [8000, 44_100, 96_000])
  func rateDoesNotMatter(rate: Int) throws {
    let take = try Take(of: prompt, samples: Phrase().samples(rate: rate), rate: rate, room: -70)
    let words = take.cutWords()
    #expect(words.allSatisfy { $0.rate == 48_000 && $0.seconds > 0.25 && $0.seconds < 0.46 })
  }

  @Test("a quiet place within a word is not taken for a pause") func closuresDoNotPart() throws {
    // As in "eight ... fifteen ... P M" with the closures of t and P M.
    let phrase = Phrase(words: [0.2, 0.08, 0.4, 0.2, 0.2], pauses: [0.08, 0.3, 0.3, 0.1])
    let take = try Take(of: prompt, samples: phrase.samples(), rate: 48_000, room: -70)
    let seconds = take.cutWords().map(\.seconds)
    #expect(zip(seconds, [0.36, 0.4, 0.5]).allSatisfy { abs($0 - $1) < 0.06 }, "\(seconds)")
  }

  @Test("what is unfit is told, with what to do")
  func unfitIsTold() {
    #expect(refusal(of: Phrase()) == "fit")
    #expect(refusal(of: Phrase(level: 0.9)).hasPrefix("clipped or too loud: it peaks at -0.9"))
    #expect(refusal(of: Phrase(level: 0.2)).hasPrefix("too soft: it peaks at -14.0 dBFS"))
    #expect(refusal(of: Phrase(noise: 0.02)).hasPrefix("too noisy: the speech is"))
    #expect(refusal(of: Phrase(), room: -40).hasPrefix("too noisy"))
    #expect(refusal(of: Phrase(pauses: [0.25, 0.05])).contains("not clear where the 3 words part"))
    #expect(refusal(of: Phrase(words: [0.3, 0.4], pauses: [0.25])).contains("not clear where"))
    #expect(
      refusal(of: Phrase(words: [0.3, 0.3, 0.3, 0.3], pauses: [0.25, 0.25, 0.25]))
        .contains("not clear where"))
    // A part of it is lost: the longest pauses are not those between the words.
    #expect(
      refusal(of: Phrase(words: [0.3, 0.2, 0.2, 0.3], pauses: [0.5, 0.3, 0.5])).contains(
        "not clear"))
    #expect(refusal(of: Phrase(words: [0.3, 2, 0.3])).contains("'forty-five' is too short or"))
    #expect(refusal(of: Phrase(words: [0.3, 0.3, 0.04])).contains("is too short or too long"))
  }

  @Test("DC, of all of it or of the words alone, is no noise") func dcIsNoNoise() throws {
    let samples = Phrase().samples().map { ($0.magnitude > 0.01 ? $0 * 0.9 + 0.02 : $0) + 0.01 }
    _ = try Take(of: prompt, samples: samples, rate: 48_000, room: -70)
  }
}

@Suite struct PhraseListenerTests {
  /// The first phrase in the samples.
  private func phrase(in samples: [Float]) -> [Float]? {
    var listener = PhraseListener(rate: 48_000, room: -70)
    return stride(from: 0, to: samples.count, by: 960).lazy.compactMap { start in
      samples[start..<min(start + 960, samples.count)].withUnsafeBufferPointer {
        listener.hear($0)
      }
    }.first
  }

  @Test("a phrase ends when it is quiet") func phraseEnds() throws {
    let quiet = Phrase(words: [], pauses: [], around: 1).samples()
    let found = try #require(phrase(in: quiet + Phrase().samples() + quiet))
    // 0.3 s before it, 1.5 s of words and pauses, 0.9 s after it.
    #expect(abs(Double(found.count) / 48_000 - 2.7) < 0.1)
  }

  @Test("a click is no phrase") func clickIsNoPhrase() {
    var samples = Phrase(words: [], pauses: [], around: 3).samples()
    for frame in 48_000..<48_500 { samples[frame] = 0.8 }
    #expect(phrase(in: samples) == nil)
  }

  @Test("what goes on and on is ended") func endlessIsEnded() throws {
    let endless = Phrase(words: [15], pauses: [], around: 1.5).samples()
    let found = try #require(phrase(in: endless))
    #expect(found.count > 48_000 * 10)
  }

  @Test("the tone of a room is its level, whatever its DC") func toneOfARoom() throws {
    var generator = SplitMix64(seed: 1)
    var tone = RoomTone(rate: 48_000)
    let samples = (0..<96_000).map { frame in
      // A key clicks at the beginning.
      (frame < 9_600 ? 0.5 : 0.02) + Float(generator.nextSigned()) * 0.001
    }
    let level = samples.withUnsafeBufferPointer { tone.hear($0) }
    #expect(abs(try #require(level) + 64.8) < 0.2)
  }
}

@Suite struct LevelMeterTests {
  @Test("the bar is as long as the level") func barIsTheLevel() {
    #expect(levelMeter(0.1) == "  ###########################.....|.....|. -20 dBFS")
    #expect(levelMeter(1) == "  ################################|#####|# 0 dBFS")
    #expect(levelMeter(0) == "  ................................|.....|. -60 dBFS")
  }
}

@Suite struct TakeFolderTests {
  private let temporary = TemporaryFolder()
  private var path: String { "\(temporary.path)/voice" }

  private func take(_ index: Int) throws -> Take {
    try Take(
      of: RecordingPlan.quarters.prompts[index],
      samples: Phrase(
        words: index == 12 ? [0.3, 0.4] : [0.3, 0.4, 0.3],
        pauses: index == 12 ? [0.25] : [0.25, 0.25]
      ).samples(), rate: 48_000, room: -70)
  }

  @Test("a torn take is told, and has to be said again") func tornTakeIsTold() throws {
    let folder = try TakeFolder(path: path, plan: .quarters)
    for index in [0, 4] { try folder.keep(take(index)) }
    truncate("\(path)/takes/5-30-am.wav", 5000)
    var told: [String] = []
    #expect(folder.kept { told.append($0.description) } == [0])
    #expect(told.count == 1 && told[0].contains("5-30-am.wav: it is torn"))
  }

  /// Records and keeps every phrase of a plan, each with its number of words.
  private func record(_ plan: RecordingPlan) throws -> VoicePack {
    let folder = try TakeFolder(path: path, plan: plan)
    for prompt in plan.prompts {
      let count = prompt.words.count
      let phrase = Phrase(
        words: (0..<count).map { [0.3, 0.4, 0.3, 0.35][$0] },
        pauses: [Double](repeating: 0.25, count: count - 1))
      let samples = phrase.samples(rate: 16_000)
      try folder.keep(Take(of: prompt, samples: samples, rate: 16_000, room: -70))
    }
    return try folder.makePack()
  }

  @Test("the words of timers are recorded to those of the time, and one pack has both")
  func packHasTimers() throws {
    #expect(try !record(.quarters).hasTimers)
    let again = faultThrown { _ = try TakeFolder(path: path, plan: .timers) }
    #expect(again?.description.contains("it is a voice pack already") == true)
    try FileManager.default.removeItem(atPath: "\(path)/voice.conf")
    let pack = try record(.timers)
    #expect(pack.phrasesUnsaid.isEmpty && pack.sortedClips.count == 79)
    #expect(pack.shortestInterval(wording: .twelve) != nil)
    #expect(pack.phrase(of: .untrusted)?.map(\.text) == ["I do not", "know the time yet"])
    #expect(VoiceVerification(of: pack).lines.allSatisfy { $0.isWell })
  }

  @Test("timers are not recorded where there are no words of the time") func timersNeedTheTime()
    throws
  {
    let fault = faultThrown { _ = try TakeFolder(path: path, plan: .timers) }
    #expect(fault?.description.contains("record its quarters or minutes first") == true)
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
