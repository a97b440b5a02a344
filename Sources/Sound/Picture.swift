@preconcurrency import Glibc

/// The picture of an announcement: its level over time, and where each sound begins.
///
/// It is filled while the score is rendered. Its size is the same for an hour as for a second.
public struct Picture: Sendable {
  /// The beginning of a sound.
  public struct Mark: Hashable, Sendable {
    /// A clip's text, or a bell's name.
    public let label: String
    /// From the anchor; negative before it.
    public let seconds: Double
  }

  /// The level during one column.
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

  /// Adds the next rendered frames of the score.
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
