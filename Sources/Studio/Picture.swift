import Basics
@preconcurrency import Glibc
import Sound

/// The picture of an announcement: its level over time, and where each sound begins. It is filled
/// while the score is rendered, and no larger for an hour than for a second.
public struct Picture {
  struct Column {
    /// The largest magnitude; full scale is 1.
    var peak: Float = 0
    var energy = 0.0
    var frames = 0

    /// In dB of full scale; minus infinity in silence. A square wave at full scale has a mean of 0.
    var levels: (peak: Double, mean: Double) {
      (Double(peak).decibels, (energy / Double(max(frames, 1))).decibelsOfPower)
    }
  }

  private let score: Score
  private let title: String
  private let anchorLabel: String
  /// Of equal length; there are fewer than the width only if there are fewer frames.
  private(set) var columns: [Column]
  private var position = 0

  /// The width of the level curve, and its edges, in pixels.
  static let width = 1120
  private static let (left, top, bottom) = (56.0, 122.0, 366.0)
  private static let right = left + Double(width)
  /// The level at the lower edge, in dB of full scale; the upper edge is 0.
  private static let floor = -60.0

  /// - Parameter anchorLabel: the time at the anchor, as in `12:00:00`.
  public init(of score: Score, title: String, anchorLabel: String) {
    (self.score, self.title, self.anchorLabel) = (score, title, anchorLabel)
    columns = Array(repeating: Column(), count: min(Self.width, score.frames))
  }

  public mutating func add(_ block: UnsafeBufferPointer<Float>) {
    for sample in block where position < score.frames {
      let index = position * columns.count / score.frames
      columns[index].peak = max(columns[index].peak, abs(sample))
      columns[index].energy += Double(sample) * Double(sample)
      columns[index].frames += 1
      position += 1
    }
  }

  public var svg: String {
    let head: [String] = [
      SVG.text(title, Self.left, 28, "head"),
      SVG.rectangle("peak", 1044, 18, width: 12, height: 12), SVG.text("peak", 1061, 28),
      SVG.rectangle("mean", 1106, 18, width: 12, height: 12), SVG.text("mean (RMS)", 1123, 28),
    ]
    let areas: [String] = [
      area("peak", columns.map(\.levels.peak)), area("mean", columns.map(\.levels.mean)),
    ]
    let anchor: [String] = [
      line("anchor", x(0), 58, x(0)),
      SVG.text(anchorLabel, middle(of: anchorLabel, at: 0), 52, "now"),
    ]
    return SVG.document(
      width: 1200, height: 420, title: title, style: Self.style,
      head + levelGrid + timeGrid + areas + marks + anchor)
  }

  private static let style = """
    .name { fill: #1d1d1f; text-anchor: middle; }
    .name, .now { paint-order: stroke; stroke: #fff; stroke-width: 3px; stroke-linejoin: round; }
    .now { fill: #c62828; font-weight: bold; text-anchor: middle; }
    .begins { stroke: #8e8e93; stroke-width: 0.8; }
    .anchor { stroke: #c62828; stroke-width: 1.5; stroke-dasharray: 5 3; }
    .peak { fill: #b9d3ee; } .mean { fill: #3f7cb8; }
    """

  private var levelGrid: [String] {
    stride(from: Self.floor, through: 0, by: 10).flatMap { level in
      [
        line("grid", Self.left, y(level), Self.right, y(level)),
        SVG.text(
          signed(level, decimals: 0) + (level == 0 ? " dB" : ""), Self.left - 6, y(level) + 4,
          "end"),
      ]
    }
  }

  /// The seconds from the anchor, at multiples of 1, 2 or 5 times a power of ten.
  private var timeGrid: [String] {
    let (start, end) = (seconds(0), seconds(max(score.frames, 1)))
    let power = pow(10, (log10((end - start) / 16)).rounded(.down))
    let step = [1, 2, 5].map { $0 * power }.first { (end - start) / $0 <= 16 } ?? 10 * power
    let decimals = max(0, -Int(log10(step).rounded(.down)))
    let first = Int((start / step).rounded(.up))
    return (first...max(first, Int((end / step).rounded(.down)))).flatMap { number in
      let x = x(Double(number) * step)
      return [
        line("grid", x, Self.top, x), line("base", x, Self.bottom, x, Self.bottom + 5),
        SVG.text(signed(Double(number) * step, decimals: decimals), x, Self.bottom + 18, "middle"),
      ]
    } + [
      line("base", Self.left, Self.bottom, Self.right),
      SVG.text("seconds from the anchor", (Self.left + Self.right) / 2, Self.bottom + 40, "middle"),
    ]
  }

  /// A line where each sound begins, and its name in the lowest of four rows where it overlaps no
  /// earlier name. A name without room is in the title of its line alone, which browsers show.
  private var marks: [String] {
    var (lines, names): ([String], [String]) = ([], [])
    var ends = [0.0, 0, 0, 0]
    for part in score.parts where !part.label.isEmpty {
      let seconds = seconds(part.start)
      let name = part.label.count > 32 ? part.label.prefix(31) + "\u{2026}" : part.label
      let (x, half) = (middle(of: name, at: seconds), Self.halfWidth(name))
      var top = Self.top
      if let row = ends.firstIndex(where: { $0 <= x - half }) {
        ends[row] = x + half
        top -= 4 + Double(row) * 14
        names.append(SVG.text(name, x, top - 2, "name"))
      }
      let title = SVG.escaped("\(part.label), \(signed(seconds, decimals: 3)) s")
      lines.append(
        "<g><title>\(title)</title>" + line("begins", self.x(seconds), top, self.x(seconds))
          + "</g>")
    }
    // Names come after the lines, so that no line runs through a name.
    return lines + names
  }

  private func area(_ style: String, _ levels: [Double]) -> String {
    let width = (Self.right - Self.left) / Double(levels.count)
    let points = levels.enumerated().map { index, level in
      SVG.pixels(Self.left + (Double(index) + 0.5) * width) + " " + SVG.pixels(y(level))
    }
    let (left, right) = (SVG.pixels(Self.left), SVG.pixels(Self.right))
    return #"<path class="\#(style)" d="M\#(left) \#(SVG.pixels(Self.bottom))L"#
      + points.joined(separator: " ") + #" \#(right) \#(SVG.pixels(Self.bottom))Z"/>"#
  }

  private func seconds(_ frame: Int) -> Double { Double(frame - score.anchor) / Double(score.rate) }

  private func x(_ seconds: Double) -> Double {
    let frame = seconds * Double(score.rate) + Double(score.anchor)
    return Self.left + frame / Double(max(score.frames, 1)) * (Self.right - Self.left)
  }

  private func y(_ level: Double) -> Double {
    Self.top + min(max(level / Self.floor, 0), 1) * (Self.bottom - Self.top)
  }

  private static func halfWidth(_ text: String) -> Double { Double(text.count) * 4 }

  private func middle(of text: String, at seconds: Double) -> Double {
    min(max(x(seconds), Self.halfWidth(text) + 4), 1196 - Self.halfWidth(text))
  }

  private func line(
    _ style: String, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double = bottom
  ) -> String {
    SVG.line(style, x1, y1, x2, y2)
  }

  private func signed(_ value: Double, decimals: Int) -> String {
    (value < 0 ? "\u{2212}" : "") + value.magnitude.text(decimals: decimals)
  }
}
