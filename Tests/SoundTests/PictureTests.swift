import Basics
import Foundation
import Sound
import TestSupport
import Testing

@testable import Studio

@Suite struct PictureTests {
  private let folder = TemporaryFolder()

  /// A second at one level, silence, and from 3 s on a second at another. The anchor is at 3 s.
  private func score(_ first: String = "B3", _ second: String = "E3") throws -> Score {
    let paths = try [Float(0.7), 0.5].map { level in
      try folder.write(
        "\(level).wav", rate: 8000, samples: [Float](repeating: level, count: 8000))
    }
    return Score(
      rate: 8000,
      parts: [
        Score.Part(StoredSound(paths[0]), start: 0, frames: 8000, label: first),
        Score.Part(
          StoredSound(paths[1]), start: 24_000, frames: 8000, isTimed: true, label: second),
      ], anchor: 24_000)
  }

  private func picture(of score: Score) throws -> Picture {
    var picture = Picture(of: score, title: "a <b> & \"c\"", anchorLabel: "12:00:00")
    try score.render { block throws(Fault) in picture.add(block) }
    return picture
  }

  @Test("the anchor stands where the time line has it") func anchor() throws {
    let svg = try picture(of: try score()).svg
    // Three quarters of 1,120 pixels, right of a margin of 56.
    #expect(svg.contains(#"<line class="anchor" x1="896.0""#))
    #expect(svg.contains("<title>B3, \u{2212}3.000 s</title>"))
  }

  @Test("the level of a column is that of its time") func level() throws {
    let columns = try picture(of: try score()).columns
    #expect(
      columns.map { ($0.peak * 100).rounded() }
        == Array(repeating: 70, count: 280) + Array(repeating: 0, count: 560)
        + Array(repeating: 50, count: 280))
    #expect(abs(columns[1119].levels.mean + 6.02) < 0.01)
    #expect(columns[500].levels.peak == -.infinity)
  }

  @Test("a text of any characters is well-formed") func escaping() throws {
    let svg = try picture(of: try score("<a> & \"b\"", "c\u{1}\u{1B}")).svg
    #expect(svg.contains(">&lt;a&gt; &amp; &quot;b&quot;</text>"))
    #expect(svg.contains(">c\u{FFFD}\u{FFFD}</text>"))
  }

  @Test("names that would overlap stand in rows, and what has no room is told by its title")
  func crowd() throws {
    let path = try folder.write("tick.wav", rate: 8000, samples: [0.5])
    let parts = (0..<40).map {
      Score.Part(StoredSound(path), start: $0 * 10, frames: 1, label: "bell \($0)")
    }
    let far = Score.Part(StoredSound(path), start: 80_000, frames: 1, label: "far")
    let picture = try picture(of: Score(rate: 8000, parts: parts + [far], anchor: 0))
    #expect(
      picture.svg.split(separator: "\n").filter { $0.contains(">bell ") && $0.hasPrefix("<text") }
        .count == 4)
    for part in parts + [far] { #expect(picture.svg.contains("<title>\(part.label), ")) }
  }
}
