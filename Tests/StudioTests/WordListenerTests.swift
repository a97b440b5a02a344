import Basics
import Foundation
import Horology
import Sound
import TestSupport
import Testing

@testable import Studio

/// Sounds as if spoken: a tone for each word, with the noise of a room around them.
private func spoken(
  _ words: [Double] = [0.4], level: Float = 0.5, noise: Float = 0.0006, around: Double = 1,
  rate: Int = 48_000
) -> [Float] {
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
  return words.reduce(part(around, 0)) { $0 + part($1, level) + part(around, 0) }
}

@Suite struct WordListenerTests {
  /// What is heard in blocks of 20 ms, with a new listener after each word.
  private func hear(_ samples: [Float], rate: Int = 48_000) -> [WordListener.Heard] {
    var listener = WordListener(rate: rate)
    return stride(from: 0, to: samples.count, by: rate / 50).map { start in
      let heard = samples[start..<min(start + rate / 50, samples.count)].withUnsafeBufferPointer {
        listener.hear($0)
      }
      if case .word = heard { listener = WordListener(rate: rate) }
      return heard
    }
  }

  private func words(_ samples: [Float], rate: Int = 48_000) -> [SpokenWord] {
    hear(samples, rate: rate).compactMap { if case .word(let word) = $0 { word } else { nil } }
  }

  @Test("a word ends when it is quiet, and the next one begins", arguments: [8000, 48_000, 96_000])
  func wordEnds(rate: Int) {
    let found = words(spoken([0.4, 0.3], around: 1.5, rate: rate), rate: rate)
    // 0.3 s before it and 0.7 s after it.
    let seconds = found.map(\.recording.seconds)
    #expect(zip(seconds, [1.4, 1.3]).allSatisfy { abs($0 - $1) < 0.1 } && seconds.count == 2)
    #expect(found.allSatisfy { $0.flaw == nil && $0.figures.hasPrefix("peak -6.") })
  }

  @Test("a quiet place within a word does not end it") func closures() {
    // As in "eight", before its last sound.
    let eight = Array(spoken([0.2], around: 0.5).dropLast(9_600)) + spoken([0.08], around: 0.1)
    #expect(words(eight + spoken([])).count == 1)
  }

  @Test("a click is no word") func clickIsNoWord() {
    var samples = spoken([], around: 3)
    for frame in 48_000..<48_500 { samples[frame] = 0.8 }
    #expect(words(samples).isEmpty)
  }

  @Test("when nothing is said for 15 s it is told once") func nothingIsTold() {
    let heard = hear([Float](repeating: 0.001, count: 8_000 * 40), rate: 8_000)
    #expect(heard.filter { if case .stillNothing = $0 { true } else { false } }.count == 1)
  }

  @Test("what is unfit is told, with what to do")
  func unfitIsTold() {
    func flaw(_ samples: [Float]) -> String {
      let found = words(samples)
      return found.isEmpty ? "nothing heard" : found[0].flaw ?? "fit"
    }
    #expect(flaw(spoken()) == "fit")
    #expect(flaw(spoken(level: 0.9)).hasPrefix("too loud: it peaks at -0.9 dBFS, over -3"))
    #expect(flaw(spoken(level: 3).map { min(max($0, -1), 1) }).hasPrefix("too loud"))
    #expect(flaw(spoken(level: 0.2)).hasPrefix("too soft: it peaks at -14.0 dBFS"))
    #expect(flaw(spoken(noise: 0.009)).hasPrefix("too noisy: it is "))
    #expect(flaw(spoken([8])).hasPrefix("too long"))
    // DC, of all of it or of the word alone, is no noise.
    #expect(flaw(spoken().map { ($0.magnitude > 0.01 ? $0 * 0.9 + 0.02 : $0) + 0.01 }) == "fit")
  }
}

@Suite struct LevelMeterTests {
  @Test("the bar is as long as the level, and its peak is held") func barIsTheLevel() {
    var meter = LevelMeter()
    func line(_ level: Float) -> String {
      [level].withUnsafeBufferPointer { meter.add($0) }
      return meter.line()
    }
    #expect(line(0.1) == "  ###########################.....|.....|. -20 dBFS")
    #expect(line(0.01) == "  #############...................|.....|. -20 dBFS")
    #expect(line(1) == "  ################################|#####|# 0 dBFS")
    for _ in 0..<15 { _ = line(0) }
    #expect(line(0) == "  ................................|.....|. quiet")
  }
}

@Suite struct RecordingPlanTests {
  private func rules(_ plan: RecordingPlan) -> EnglishRules { EnglishRules(words: Set(plan.words)) }

  @Test("every plan has the words for what it is to say") func plansAreWhole() {
    #expect(rules(.quarters).sayQuarters(.twelve) && RecordingPlan.quarters.words.count == 20)
    for format in HourFormat.allCases {
      var grammar = Grammar()
      for rule in rules(.minutes).rules(format) {
        _ = grammar.add(pattern: rule.pattern, phrase: rule.phrase)
      }
      for minute in 0..<1440 {
        #expect(grammar.phrase(hour: minute / 60, minute: minute % 60) != nil, "\(minute)")
      }
    }
    #expect(rules(.timers).missingForTimers.isEmpty)
    #expect(rules(.quarters).rules(.answer).count == 1)
  }

  @Test("a file that is named as a recording is known as its word") func namesAreKnown() {
    for word in RecordingPlan.allCases.flatMap(\.words) {
      #expect(EnglishWord(fileName: word.clipName) == word)
    }
  }

  @Test("dots follow a word that others follow") func prompts() {
    #expect(EnglishWord.number(7).prompt == "seven ..." && EnglishWord.pm.prompt == "P M.")
  }
}

@Suite struct VoiceImportTests {
  private let temporary = TemporaryFolder()

  @Test("the words of two plans make a voice that is well, and a rule without its clip is found")
  func plansMakeAVoice() throws {
    try FileManager.default.createDirectory(
      atPath: "\(temporary.path)/words", withIntermediateDirectories: true)
    for word in Set(RecordingPlan.quarters.words + RecordingPlan.timers.words) {
      let samples = spoken([0.3], around: 0.1, rate: 16_000)
      _ = try temporary.write("words/\(word.clipName).wav", rate: 16_000, samples: samples)
    }
    let pack = try VoiceImport(folder: "\(temporary.path)/words").make("\(temporary.path)/voice")
    #expect(pack.phrasesUnsaid.isEmpty && pack.shortestInterval(wording: .twelve) != nil)
    #expect(pack.phrase(of: .untrusted)?.map(\.text) == ["I do not", "know the time yet"])
    let verification = VoiceVerification(of: pack)
    #expect(verification.findings.isEmpty && verification.brokenRules.isEmpty)
    // A rule whose clip is missing.
    let file = "\(pack.path)/voice.conf"
    let description = try String(contentsOfFile: file, encoding: .utf8)
    try description.replacingOccurrences(of: "left = left\n", with: "")
      .write(toFile: file, atomically: true, encoding: .utf8)
    #expect(
      VoiceVerification(of: try VoicePack(path: pack.path)).brokenRules
        == ["no clip 'left', which '1 s left' needs; record it, or take the rule out"])
  }
}
