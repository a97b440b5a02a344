import Basics

/// The level of a microphone as a line of text: a bar from -60 to 0 dBFS. A voice should peak
/// between its two marks.
public struct LevelMeter: Sendable {
  private var peak: Float = 0
  /// The highest peak of the last lines, and for how many more lines it is shown.
  private var held: Float = 0
  private var heldLines = 0

  private static let columns = 40
  private static let decibelsAColumn = 1.5
  /// Lines for which a peak is shown, at ten lines a second.
  private static let holding = 15

  public init() {}

  public mutating func add(_ block: UnsafeBufferPointer<Float>) {
    for sample in block { peak = max(peak, sample.magnitude) }
  }

  /// A bar for the frames since the last line, and the level of the highest recent peak.
  public mutating func line() -> String {
    heldLines -= 1
    if peak >= held || heldLines <= 0 { (held, heldLines) = (peak, Self.holding) }
    let length = Self.column(Double(peak).decibels)
    peak = 0
    let marks = [Self.column(Take.peaks.lowerBound), Self.column(Take.peaks.upperBound)]
    let bar = (0..<Self.columns).map { column in
      marks.contains(column) ? "|" : column < length ? "#" : "."
    }
    let level = Double(held).decibels
    let text = level > -60 ? "\(level.text(decimals: 0)) dBFS" : "quiet"
    return "  \(bar.joined()) \(text)"
  }

  private static func column(_ decibels: Double) -> Int {
    guard decibels > -60 else { return 0 }
    return min(columns + Int((decibels / decibelsAColumn).rounded()), columns)
  }
}
