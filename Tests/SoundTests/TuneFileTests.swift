import Basics
import Foundation
import Horology
import Sound
import TestSupport
import Testing

@Suite struct TuneFileTests {
  private let folder = TemporaryFolder()

  private func tune(_ text: String) throws -> Tune {
    try folder.write("a.tune", text)
    return try Tune(path: "\(folder.path)/a.tune", name: "a")
  }

  @Test("notes may go on in another line") func notesGoOn() throws {
    let text = "[tune]\ndescription = x\n[hour]\nlead = 4s\nnotes = B3 0.5 E4 1.5\nnotes = G#4\n"
    let movement = try #require(try tune(text).movements[0])
    #expect(movement.lead == .seconds(4))
    #expect(movement.melody.map(\.bell) == ["B3", "E4", "G#4"])
    #expect(movement.melody.map(\.offset) == [.zero, .milliseconds(500), .seconds(2)])
  }

  @Test("tabs part notes as spaces do") func tabs() throws {
    let text = "[tune]\ndescription = x\n[hour]\nnotes = B3\t0.5\tE4 \t1.5  G#4\n"
    let movement = try #require(try tune(text).movements[0])
    #expect(movement.melody.map(\.bell) == ["B3", "E4", "G#4"])
  }

  @Test(
    "what is wrong is told with its line and what is allowed",
    arguments: [
      ("notes = B3 -1 E4", ":4: '-1' is no gap: allowed are seconds from 0.02 to 20"),
      ("notes = B3 E4", ":4: notes are bells with seconds between them"),
      ("notes = B3 0.5", ":4: notes are bells with seconds between them"),
      ("lead = 41s\nnotes = B3", ":4: '41s' is not a duration from 0s to 40s"),
      ("strike = E3", ":4: 'strike' needs 'count' and 'gaps' in its section"),
      ("gaps = 4\nstrike = E3\ncount = hour\nstrike = B3", ":7: 'strike' is set twice in [hour]"),
      ("notes = B3\nlead = 1s\nlead = 2s", ":6: 'lead' is set twice in [hour]"),
      ("notes = B3\n[hour]\nrest = 1s\nrest = 1s", ":7: 'rest' is set twice in [hour]"),
      ("notes = B3\n[tune]\ndescription = y", ":6: 'description' is set twice in [tune]"),
      ("strike = E3\ncount = day", ":5: count = day: allowed: hour, watch"),
      ("lead = 4s", ":4: [hour] has neither 'notes' nor 'strike'"),
      ("notes = B3 0.5\n  E4", ":5: not a [section], a comment or 'key = value'"),
      ("notes = B3 0.5 E4 ; 0.5 G#4", ":4: the value has ' ;' in it"),
      ("note = B3", ":4: unknown key 'note'; there are notes, lead"),
      ("notes = B3\n[second]\n[half]", ":5: unknown section [second]; there are tune, hour"),
    ])
  func whatIsWrong(lines: String, words: String) {
    let fault = faultThrown { _ = try tune("[tune]\ndescription = x\n[hour]\n\(lines)\n") }
    #expect(fault?.description.contains(words) == true, "\(String(describing: fault))")
  }

  @Test("a key before the first section is told as that") func beforeTheFirstSection() {
    let fault = faultThrown { _ = try tune("description = x\n[tune]\n") }
    #expect(
      fault?.description.hasSuffix(
        "a.tune:1: it stands before the first section; there are tune, hour, first, half, third")
        == true, "\(String(describing: fault))")
  }

  @Test("of a file that is no tune, little is shown, and nothing that a terminal obeys")
  func foreignFile() throws {
    let secret = String(repeating: "s", count: 100)
    let start = "[tune]\ndescription = x\n[hour]\n"
    let texts = [
      "\(secret)=", "\(start)\(secret) = 1", "\(start)count = \(secret)",
      "\(start)lead = \(secret)",
      "\(start)gaps = \(secret)", "[\(secret)]\n", "\(start)\u{1B}\(secret) = 1",
    ]
    for text in texts {
      let words = try #require(faultThrown { _ = try tune(text) }).description
      #expect(!words.contains(secret.prefix(41)), "\(words)")
      #expect(!words.contains("\u{1B}"), "\(words)")
    }
  }

  @Test("every tune that ships is read, and its bells are there") func shippedTunes() throws {
    let sounds = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../sounds").standardized.path
    let files = try FileManager.default.contentsOfDirectory(atPath: "\(sounds)/tunes")
      .filter { $0.hasSuffix(".tune") }
    #expect(files.count == 8)
    for file in files {
      let tune = try Tune(path: "\(sounds)/tunes/\(file)", name: file)
      var rack = BellRack(folders: ["\(sounds)/bells"])
      try rack.add(tune)
      #expect(!rack.paths.isEmpty)
    }
  }

  @Test("the anchor is where the first blow of the hour bell begins") func anchor() throws {
    for name in ["E3", "B3"] {
      _ = try folder.write("\(name).flac", samples: [Float](repeating: 0.1, count: 4800))
    }
    let tune = try tune(
      "[tune]\ndescription = x\n[hour]\nlead = 4s\nnotes = B3 0.5 B3\n"
        + "strike = E3\ncount = hour\ngaps = 4.14\n")
    var rack = BellRack(folders: [folder.path])
    try rack.add(tune)
    var settings = AnnouncerSettings()
    settings.chime = tune
    settings.voiceAtHour = .none
    let time = try #require(CivilTime(hour: 15, minute: 0))
    let programme = settings.programme(at: time, trust: .synchronised)
    let voice = try VoicePack(
      path: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../sounds/voices/rms").standardized.path)
    let score = try Composer(voice: voice, wording: .twelve, bells: rack)
      .score(of: time, programme, rate: 48_000)
    #expect(score.anchor == 4 * 48_000)
    #expect(score.parts.map(\.start) == [0, 24_000, 192_000, 390_720, 589_440])
    #expect(score.parts.allSatisfy { $0.isTimed })
  }
}
