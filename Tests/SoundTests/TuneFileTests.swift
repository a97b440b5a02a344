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

  @Test("notes may go on in another line, and tabs part them too") func notesGoOn() throws {
    let text = "[tune]\ndescription = x\n[hour]\nlead = 4s\nnotes = B3\t0.5 E4 1.5\nnotes = G#4\n"
    let movement = try #require(try tune(text).movements[0])
    #expect(movement.lead == .seconds(4))
    #expect(movement.melody.map(\.bell) == ["B3", "E4", "G#4"])
    #expect(movement.melody.map(\.offset) == [.zero, .milliseconds(500), .seconds(2)])
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
      ("notes = B3\n[tune]\ndescription = y", ":6: 'description' is set twice in [tune]"),
      ("strike = E3\ncount = day", ":5: count = day: allowed: hour, watch"),
      ("lead = 4s", ":4: [hour] has neither 'notes' nor 'strike'"),
      ("note = B3", ":4: unknown key 'note'; there are notes, lead"),
      ("notes = B3\n[second]\n[half]", ":5: unknown section [second]; there are tune, hour"),
    ])
  func whatIsWrong(lines: String, words: String) {
    let fault = faultThrown { _ = try tune("[tune]\ndescription = x\n[hour]\n\(lines)\n") }
    #expect(fault?.description.contains(words) == true, "\(String(describing: fault))")
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
}
