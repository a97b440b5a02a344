import Foundation
import Horology
import TestSupport
import Testing

@testable import Sound

@Suite struct VoicePackTimersTests {
  private let folder = TemporaryFolder()

  private static let head = """
    [voice]
    language = en
    description = test
    licence = LICENCE
    crossfade = 20ms
    """
  private static let timers = """
    [left]
    00**00 = {minutes} minutes left
    **0000 = {hours} hours left
    [timer]
    00**00 = {minutes} minute timer
    [interval]
    work = work
    round = round {number}
    """

  private func pack(_ timers: String = timers, clips: [(String, String)]) throws -> VoicePack {
    let lines = clips.map { "\($0) = \($1)" }
    try folder.write(
      "voice.conf", ([Self.head, timers, "[clips]"] + lines).joined(separator: "\n") + "\n")
    for (name, _) in clips {
      try folder.write("\(name).wav", samples: [Float](repeating: 0.25, count: 9_600))
    }
    return try VoicePack(path: folder.path)
  }

  private static let clips = [
    ("4", "four"), ("minutes", "minutes"), ("minute", "minute"), ("left", "left"),
    ("timer", "timer"), ("round", "round"), ("work", "work"), ("green", "Green"), ("tea", "tea"),
    ("spaghetti", "Spaghetti al dente"),
  ]

  @Test("what is said of timers may be a chain of clips") func chains() throws {
    let pack = try pack(
      "[left]\n00**00 = minutes-{minutes}\n[chains]\nminutes-4 = 4 minutes", clips: Self.clips)
    #expect(pack.phrase(of: .left(.seconds(240)))?.map(\.text) == ["four", "minutes"])
    #expect(pack.clipsMissing(for: .left(.seconds(240))) == [])
    #expect(pack.clipsMissing(for: .left(.seconds(300))) == ["minutes-5"])
  }

  @Test("what the pack has no rule or no clip for is nil") func withoutWordsItIsNil() throws {
    let pack = try pack(clips: Self.clips)
    for phrase in [TimerPhrase.rest, .left(.seconds(300)), .left(.seconds(14_400)), .round(5)] {
      #expect(pack.phrase(of: phrase) == nil)
    }
    #expect(pack.clipsMissing(for: .left(.seconds(14_400))) == ["hours"])
    #expect(pack.clipsMissing(for: .rest) == [] && pack.clipsMissing(for: .work) == [])
    #expect(pack.phrasesUnsaid.count == TimerPhrase.range.count - 4)
  }

  @Test(
    "a name is said by one clip with that text, or by one for each word",
    arguments: [
      ("tea", ["tea"]), ("TEA", ["tea"]), (" green  Tea ", ["green", "tea"]),
      ("spaghetti AL dente", ["spaghetti"]), ("spaghetti", nil), ("red tea", nil), ("", nil),
      (" ", nil), ("teas", nil),
    ])
  func names(name: String, clips: [String]?) throws {
    let pack = try pack(clips: Self.clips)
    #expect(
      pack.phrase(of: .name(name))?.map(\.path) == clips?.map { "\(folder.path)/\($0).wav" })
  }
}
