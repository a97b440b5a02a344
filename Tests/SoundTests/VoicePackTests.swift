import Basics
import Foundation
import Horology
import TestSupport
import Testing

@testable import Sound

@Suite struct VoicePackTests {
  private let folder = TemporaryFolder()

  private static let description = """
    [voice]
    language = en
    description = test
    licence = LICENCE
    crossfade = 20ms

    [clock 12]
    **00 = h oclock
    **** = h m pm

    [clips]
    h = three
    m = fifteen
    pm = P M
    oclock = o'clock

    """

  private func makePack(_ description: String = VoicePackTests.description) throws {
    try folder.write("voice.conf", description)
    for (name, frames) in [("h", 10_000), ("m", 20_000), ("pm", 15_000), ("oclock", 9_000)] {
      try folder.write("\(name).wav", samples: [Float](repeating: 0.25, count: frames))
    }
  }

  /// A pack that has these rules, more clips, and a clip for each hour.
  private func makePackOfHours(_ rules: String, clips: String = "") throws {
    let hours = (1...12).map { "\($0) = \($0)" }.joined(separator: "\n")
    try makePack(
      Self.description.replacingOccurrences(of: "**00 = h oclock\n**** = h m pm", with: rules)
        .replacingOccurrences(of: "[clips]", with: "[clips]\n\(hours)\n\(clips)"))
    for hour in 1...12 { try folder.write("\(hour).wav", samples: [0.25]) }
  }

  private func time(_ hour: Int, _ minute: Int) -> CivilTime {
    CivilTime(hour: hour, minute: minute)!
  }

  @Test("a name may stand for a chain of clips, in a rule and in the opening")
  func chains() throws {
    try makePack(
      Self.description.replacingOccurrences(
        of: "[clips]", with: "[chains]\nhour-15 = h oclock\nit-is = m pm\n[clips]"
      ).replacingOccurrences(of: "h m pm", with: "hour-{hour24} m")
        .replacingOccurrences(of: "licence = LICENCE", with: "licence = LICENCE\nopening = it-is"))
    let pack = try VoicePack(path: folder.path)
    var wording = Wording.twelve
    #expect(try pack.text(of: time(15, 15), wording: wording) == "three o'clock fifteen")
    wording.opens = true
    #expect(
      try pack.text(of: time(15, 15), wording: wording) == "fifteen P M three o'clock fifteen")
    // A name without a chain is the name of a clip.
    let fault = faultThrown { _ = try pack.text(of: time(16, 15), wording: .twelve) }
    #expect(fault?.detail.hasPrefix("no clip 'hour-16', which 16:15:00 needs; ") == true)
  }

  @Test(
    "a chain that cannot be spoken, or a spelling that is of none, is told with its line",
    arguments: [
      ("m = h", ":12: 'm' is a clip; give the chain another name"),
      ("fifteen = h m x", ":12: chain 'fifteen' needs 'x', which is no clip in [clips]"),
      ("fifteen =", ":12: chain 'fifteen' is empty"),
      ("[spelling]\nfifteen = 15", ":13: [chains] has no 'fifteen'; add it there, or remove this"),
      ("fifteen = h\nfifteen = m", ":13: 'fifteen' is there twice in [chains]"),
      ("one = m\ntwo = one m", ":13: chain 'two' needs 'one', which is no clip"),
    ])
  func badChain(lines: String, words: String) throws {
    try makePack(
      Self.description.replacingOccurrences(
        of: "[clips]", with: "[chains]\n\(lines)\n[clips]"))
    let fault = faultThrown { _ = try VoicePack(path: folder.path) }
    #expect(fault?.description.contains(words) == true, "\(String(describing: fault))")
  }

  @Test(
    "what is wrong in voice.conf is told with its line",
    arguments: [
      ("language = en", "lingo = en", ":2: unknown key 'lingo'"),
      ("20ms", "20", ":5: crossfade = 20 is not a duration"),
      ("[clock 12]", "[clock 13]", ":7: unknown section [clock 13]"),
      ("[clock 12]", "[clock 12 a b]", ":7: unknown section [clock 12 a b]"),
      ("[clock 12]", "[clip]\n[clock 12]", ":7: unknown section [clip]; there are voice"),
      ("[clock 12]", "[day]\n**** = by day", ":8: '**** = by day' is no part of the day"),
      ("**00 = h oclock", "**0 = h oclock", ":8: '**0 = h oclock' is no rule"),
      ("h = three", "h = three\nh = four", ":13: 'h' is there twice in [clips]"),
      ("language = en", "language = en\nlanguage = de", ":3: 'language' is there twice in [voice]"),
      ("licence = LICENCE", "", "no 'licence' in [voice]"),
    ])
  func whatIsWrongIsToldWithItsLine(text: String, instead: String, words: String) throws {
    try makePack(Self.description.replacingOccurrences(of: text, with: instead))
    let fault = faultThrown { _ = try VoicePack(path: folder.path) }
    #expect(fault?.description.contains(words) == true, "\(String(describing: fault))")
  }

  @Test("a phrase that lacks a clip is told with the clip and the time") func lackingClip() throws {
    try makePack(Self.description.replacingOccurrences(of: "h m pm", with: "h m pm {minute}"))
    let pack = try VoicePack(path: folder.path)
    let fault = faultThrown { try pack.verify(every: Interval(minutes: 1)!, wording: .twelve) }
    #expect(fault?.description.contains("no clip '1', which 00:01:00 needs") == true)
    #expect(throws: Fault.self) { try pack.verify(every: .quarter, wording: Wording(.twentyFour)) }
  }

  @Test("clips without a file are told together, and keep no other time from being said")
  func withoutFile() throws {
    try makePackOfHours(
      "**00 = {hour12} oclock\n**15 = {hour12} m\n**30 = {hour12} m m\n**45 = {hour12} m pm",
      clips: "z = zed\nw = double u\nx = ex")
    var pack = try VoicePack(path: folder.path)
    let files = "(w.flac, .wav, .caf, .ogg)"
    #expect(pack.filesMissing?.operation == "voice \(folder.path)")
    #expect(
      pack.filesMissing?.detail
        == "clip 'w' has no file \(files), nor have 2 more; put it there, or take it out of voice.conf"
    )
    try pack.verify(every: .quarter, wording: .twelve)
    unlink("\(folder.path)/pm.wav")
    unlink("\(folder.path)/m.wav")
    pack = try VoicePack(path: folder.path)
    #expect(pack.clipsWithoutFile == ["m", "pm", "w", "x", "z"])
    #expect(try pack.text(of: time(15, 0), wording: .twelve) == "3 o'clock")
    let fault = faultThrown { try pack.verify(every: .quarter, wording: .twelve) }
    #expect(fault?.detail.hasPrefix("no clip 'm', which 00:15:00 needs") == true)
    try pack.verify(every: Interval(minutes: 60)!, wording: .twelve)
  }

  @Test("the longest phrase bounds every time that a voice of this tree can say, and closely")
  func longestPhrase() throws {
    let names = Sounds.voiceNames()
    #expect(names.contains("heart"))
    for name in names {
      let voice = try Sounds.voice(name)
      var longest = Duration.zero
      for var wording in voice.wordings {
        wording.opens = voice.hasOpening
        for time in Interval.minute.timesOfDay {
          let score = try? voice.score(of: time, wording: wording, rate: standardRate)
          longest = max(longest, score?.length ?? .zero)
        }
      }
      #expect((longest...longest + .milliseconds(100)).contains(voice.longestPhrase), "\(name)")
      let bound = voice.longestTimerPhrase
      for phrase in TimerPhrase.range {
        let length = try voice.phrase(of: phrase).map { clips throws in
          try voice.score(of: clips, rate: standardRate).length
        }
        #expect(length ?? .zero <= bound, "\(name): \(phrase.text)")
      }
    }
  }

  @Test(
    "a crossfade takes no more than half of either clip",
    arguments: [("20ms", 1920), ("200ms", 12_500)])
  func crossfade(_ length: String, _ overlap: Int) throws {
    try makePack(Self.description.replacingOccurrences(of: "20ms", with: length))
    let pack = try VoicePack(path: folder.path)
    let clips = try pack.phrase(of: time(15, 15), wording: .twelve)
    // Clips of 10,000, 20,000 and 15,000 frames.
    #expect(try pack.score(of: clips, rate: standardRate).frames == 45_000 - overlap)
  }

  @Test("gaps count to the longest phrase, and missing words do not") func longestPhraseWithGaps()
    throws
  {
    try makePack(Self.description.replacingOccurrences(of: "crossfade = 20ms", with: "gap = 60ms"))
    let pack = try VoicePack(path: folder.path)
    // Clips of 10,000, 20,000 and 15,000 frames, and two gaps, rounded up.
    #expect(pack.longestPhrase == .milliseconds(1058))
    #expect(pack.without(["m"]).longestPhrase == .milliseconds(456))
    #expect(pack.longestTimerPhrase == .zero)
  }
}

extension Score {
  fileprivate var length: Duration { .seconds(Double(frames) / Double(rate)) }
}
