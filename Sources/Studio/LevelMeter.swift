import Basics

/// The level of a microphone as a line of text: a bar from -60 to 0 dBFS. A voice should peak
/// between its two marks.
/// - Parameter peak: full scale is 1.
public func levelMeter(_ peak: Float) -> String {
  let level = max(Double(peak).decibels, -60)
  func column(_ decibels: Double) -> Int { Int(((decibels + 60) / 1.5).rounded()) }
  let marks = [column(Take.peaks.lowerBound), column(Take.peaks.upperBound)]
  let bar = (0..<40).map { marks.contains($0) ? "|" : $0 < column(level) ? "#" : "." }
  return "  \(bar.joined()) \(level.text(decimals: 0)) dBFS"
}
