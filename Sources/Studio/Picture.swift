import Basics
@preconcurrency import Glibc
import Sound

/// The picture of an announcement: its level over time, and where each sound begins.
///
/// It is filled while the score is rendered. Its size is the same for an hour as for a second.
public struct Picture: Sendable {
  public struct Mark: Hashable, Sendable {
    public let label: String
    /// From the anchor; negative before it.
    public let seconds: Double
  }

  public struct Column: Hashable, Sendable {
    /// The largest magnitude; full scale is 1.
    public private(set) var peak: Float = 0
    private var energy = 0.0
    private var frames = 0

    /// The peak in dB of full scale; minus infinity in silence.
    public var peakLevel: Double { 20 * log10(Double(peak)) }
    /// The RMS level in dB of full scale; a square wave at full scale has 0.
    public var meanLevel: Double { frames == 0 ? -.infinity : 10 * log10(energy / Double(frames)) }

    fileprivate mutating func add(_ samples: UnsafeBufferPointer<Float>) {
      var peak = peak
      var energy = energy
      for sample in samples {
        peak = max(peak, abs(sample))
        energy += Double(sample) * Double(sample)
      }
      self.peak = peak
      self.energy = energy
      frames += samples.count
    }
  }

  public let title: String
  /// The label of the anchor, as in `12:00:00`.
  public let anchorLabel: String
  /// In the order in which they begin; those without a label are left out.
  public let marks: [Mark]
  /// Where it begins and ends, in seconds from the anchor.
  public let span: ClosedRange<Double>
  /// Of equal length, from the beginning to the end; empty if the score has no frames.
  public private(set) var columns: [Column]

  private let frames: Int
  private var position = 0

  /// A picture of `score`, still without its levels.
  /// - Parameter columns: the most columns; there are fewer only if there are fewer frames.
  public init(of score: Score, title: String, anchorLabel: String, columns: Int) {
    self.title = title
    self.anchorLabel = anchorLabel
    func seconds(_ frame: Int) -> Double { Double(frame - score.anchor) / Double(score.rate) }
    marks = score.parts.filter { !$0.label.isEmpty }.map {
      Mark(label: $0.label, seconds: seconds($0.start))
    }
    span = seconds(0)...seconds(max(score.frames, 1))
    frames = score.frames
    self.columns = Array(repeating: Column(), count: min(columns, score.frames))
  }

  public mutating func add(_ block: UnsafeBufferPointer<Float>) {
    var done = 0
    while done < block.count && position < frames {
      let index = position * columns.count / frames
      // The first frame of the next column, rounded up as the division above rounds down.
      let next = ((index + 1) * frames + columns.count - 1) / columns.count
      let count = min(block.count - done, next - position)
      columns[index].add(UnsafeBufferPointer(rebasing: block[done..<done + count]))
      done += count
      position += count
    }
  }
}

extension Picture {
  /// The width of the level curve in pixels. More columns than that are of no use.
  public static let width = 1120

  /// The picture as a file of its own, on white, so that it can be read on a dark page too.
  public var svg: String {
    let layout = PictureLayout(span: span)
    let labels = layout.place(marks)
    var lines = [
      #"<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="420""#
        + #" viewBox="0 0 1200 420" role="img">"#,
      "<title>\(escapedForXML(title))</title>",
      Self.style,
      #"<rect width="1200" height="420" fill="white"/>"#,
      layout.text(title, "head", PictureLayout.left, 28),
    ]
    lines += legend(layout)
    lines += layout.levelGrid()
    lines += layout.timeGrid()
    lines += curves(layout)
    lines += layout.marks(marks, labels)
    lines += layout.anchor(anchorLabel)
    lines.append("</svg>")
    return lines.joined(separator: "\n") + "\n"
  }

  private static let style = """
    <style>
    text { font: 11px 'DejaVu Sans', Verdana, 'Liberation Sans', sans-serif; fill: #55555c; }
    .head { font-size: 16px; fill: #1d1d1f; }
    .name { fill: #1d1d1f; text-anchor: middle; }
    .name, .now { paint-order: stroke; stroke: #fff; stroke-width: 3px; stroke-linejoin: round; }
    .now { fill: #c62828; font-weight: bold; text-anchor: middle; }
    .middle { text-anchor: middle; } .end { text-anchor: end; }
    .grid { stroke: #e4e4e8; } .base { stroke: #8e8e93; }
    .begins { stroke: #8e8e93; stroke-width: 0.8; }
    .anchor { stroke: #c62828; stroke-width: 1.5; stroke-dasharray: 5 3; }
    .peak { fill: #b9d3ee; } .mean { fill: #3f7cb8; }
    </style>
    """

  private func legend(_ layout: PictureLayout) -> [String] {
    [
      #"<rect class="peak" x="1044" y="18" width="12" height="12"/>"#,
      layout.text("peak", "", 1061, 28),
      #"<rect class="mean" x="1106" y="18" width="12" height="12"/>"#,
      layout.text("mean (RMS)", "", 1123, 28),
    ]
  }

  private func curves(_ layout: PictureLayout) -> [String] {
    guard !columns.isEmpty else { return [] }
    return [
      layout.area("peak", columns.map(\.peakLevel)), layout.area("mean", columns.map(\.meanLevel)),
    ]
  }
}

struct PictureLayout {
  static let left = 56.0
  static let right = left + Double(Picture.width)
  static let top = 122.0
  static let bottom = 366.0
  /// The level at the lower edge, in dB of full scale; the upper edge is 0.
  static let floor = -60.0
  /// The number of rows of names, and the height of one.
  static let rows = 4
  static let rowHeight = 14.0
  /// The approximate width of a character of a name.
  static let characterWidth = 8.0
  static let longestName = 32

  let span: ClosedRange<Double>

  func x(_ seconds: Double) -> Double {
    let part = (seconds - span.lowerBound) / (span.upperBound - span.lowerBound)
    return Self.left + part * (Self.right - Self.left)
  }

  func y(_ level: Double) -> Double {
    let part = min(max(level / Self.floor, 0), 1)
    return Self.top + part * (Self.bottom - Self.top)
  }

  // MARK: Names

  struct Label: Hashable {
    let text: String
    let x: Double
    /// Counted from 0, the row next to the levels.
    let row: Int
  }

  /// Finds a row for each name where it overlaps no earlier name; nil if no row has room.
  func place(_ marks: [Picture.Mark]) -> [Label?] {
    var ends = [Double](repeating: 0, count: Self.rows)
    return marks.map { mark in
      let text =
        mark.label.count > Self.longestName
        ? mark.label.prefix(Self.longestName - 1) + "\u{2026}" : mark.label
      let half = Double(text.count) * Self.characterWidth / 2
      let x = min(max(x(mark.seconds), half + 4), 1196 - half)
      guard let row = ends.firstIndex(where: { $0 <= x - half }) else { return nil }
      ends[row] = x + half
      return Label(text: text, x: x, row: row)
    }
  }

  /// A line where each sound begins, with its name above it. A name without room is still in the
  /// title of its line, which browsers show.
  func marks(_ marks: [Picture.Mark], _ labels: [Label?]) -> [String] {
    func baseline(_ label: Label) -> Double { Self.top - 6 - Double(label.row) * Self.rowHeight }
    let lines = zip(marks, labels).map { mark, label in
      let from = label.map { baseline($0) + 2 } ?? Self.top
      let title = escapedForXML("\(mark.label), \(signed(mark.seconds, decimals: 3)) s")
      return "<g><title>\(title)</title>"
        + line("begins", x(mark.seconds), from, x(mark.seconds), Self.bottom) + "</g>"
    }
    // Names come after the lines, so that no line runs through a name.
    return lines + labels.compactMap { $0 }.map { text($0.text, "name", $0.x, baseline($0)) }
  }

  func anchor(_ label: String) -> [String] {
    let half = Double(label.count) * Self.characterWidth / 2
    let middle = min(max(x(0), half + 4), 1196 - half)
    return [
      line("anchor", x(0), 58, x(0), Self.bottom), text(label, "now", middle, 52),
    ]
  }

  // MARK: Axes

  func levelGrid() -> [String] {
    stride(from: Self.floor, through: 0, by: 10).flatMap { level in
      [
        line("grid", Self.left, y(level), Self.right, y(level)),
        text(
          signed(level, decimals: 0) + (level == 0 ? " dB" : ""), "end", Self.left - 6,
          y(level) + 4),
      ]
    }
  }

  /// The seconds from the anchor, at multiples of 1, 2 or 5 times a power of ten.
  func timeGrid() -> [String] {
    let length = span.upperBound - span.lowerBound
    let power = pow(10, (log10(length / 16)).rounded(.down))
    let step = [1, 2, 5, 10].map { $0 * power }.first { length / $0 <= 16 } ?? length
    let decimals = max(0, -Int(log10(step).rounded(.down)))
    let first = Int((span.lowerBound / step).rounded(.up))
    let last = Int((span.upperBound / step).rounded(.down))
    return (first...max(first, last)).flatMap { number in
      let seconds = Double(number) * step
      return [
        line("grid", x(seconds), Self.top, x(seconds), Self.bottom),
        line("base", x(seconds), Self.bottom, x(seconds), Self.bottom + 5),
        text(signed(seconds, decimals: decimals), "middle", x(seconds), Self.bottom + 18),
      ]
    } + [
      line("base", Self.left, Self.bottom, Self.right, Self.bottom),
      text("seconds from the anchor", "middle", (Self.left + Self.right) / 2, Self.bottom + 40),
    ]
  }

  // MARK: Shapes

  func area(_ style: String, _ levels: [Double]) -> String {
    let width = (Self.right - Self.left) / Double(levels.count)
    let points = levels.indices.map { index in
      let x = Self.left + (Double(index) + 0.5) * width
      return "\(x.text(decimals: 1)) \(y(levels[index]).text(decimals: 1))"
    }
    let base = Self.bottom.text(decimals: 1)
    return #"<path class="\#(style)" d="M\#(Self.left.text(decimals: 1)) \#(base)L"#
      + points.joined(separator: " ") + #" \#(Self.right.text(decimals: 1)) \#(base)Z"/>"#
  }

  func line(_ style: String, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
    #"<line class="\#(style)" x1="\#(x1.text(decimals: 1))" y1="\#(y1.text(decimals: 1))" "#
      + #"x2="\#(x2.text(decimals: 1))" y2="\#(y2.text(decimals: 1))"/>"#
  }

  func text(_ text: String, _ style: String, _ x: Double, _ y: Double) -> String {
    let style = style.isEmpty ? "" : #" class="\#(style)""#
    return #"<text\#(style) x="\#(x.text(decimals: 1))" y="\#(y.text(decimals: 1))">"#
      + escapedForXML(text) + "</text>"
  }

  /// With a typographic minus sign.
  private func signed(_ value: Double, decimals: Int) -> String {
    (value < 0 ? "\u{2212}" : "") + value.magnitude.text(decimals: decimals)
  }
}

/// The text escaped for XML. A character that XML cannot hold becomes a replacement character.
func escapedForXML(_ text: String) -> String {
  var escaped = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "&": escaped += "&amp;"
    case "<": escaped += "&lt;"
    case ">": escaped += "&gt;"
    case "\"": escaped += "&quot;"
    case "\t", "\n", "\r": escaped += " "
    case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
    default: escaped.unicodeScalars.append(scalar)
    }
  }
  return escaped
}
