import Basics
import Sound

/// The call of a cuckoo clock: two stopped wooden pipes blown one after the other by bellows, the
/// second a third lower (facts: chimes). Everything except the pitches is an estimate by ear.
public struct CuckooCall: SynthesisedSound {
  /// When each pipe begins and ends, in seconds, and its pitch in Hz.
  private static let notes: [(start: Double, end: Double, frequency: Double)] = [
    (0, 0.26, 784), (0.34, 0.76, 659),
  ]
  /// The harmonics, with their decibels relative to the first. A stopped pipe has the odd ones; a
  /// narrow wooden pipe has hardly those.
  private static let harmonics: [(number: Double, level: Double)] = [
    (1, 0), (2, -36), (3, -24), (5, -38),
  ]
  /// Decibels relative to full scale; a call is then at -20 LUFS.
  private static let level = -13.5
  /// The noise of the wind, in decibels relative to the first harmonic, and its factor at the lip
  /// before the pipe speaks.
  private static let windLevel = -37.0
  private static let chiff = 5.0
  private static let rise = 0.03
  private static let fall = 0.07

  public let frames: Int
  private var position = 0
  private var notes: [PipeNote]

  public init(seed: UInt64 = 1) {
    frames = Int(Self.notes.last!.end * Double(standardRate))
    notes = Self.notes.enumerated().map { index, note in
      PipeNote(
        span: Int(note.start * Double(standardRate))..<Int(note.end * Double(standardRate)),
        frequency: note.frequency, random: SplitMix64(seed: seed + UInt64(index)))
    }
  }

  public mutating func render(into block: UnsafeMutableBufferPointer<Int16>) -> Int {
    let count = max(min(block.count, frames - position), 0)
    for frame in 0..<count {
      var sum = 0.0
      for index in notes.indices { sum += notes[index].next(at: position + frame) }
      block[frame] = sample(sum)
    }
    position += count
    return count
  }

  /// One pipe.
  private struct PipeNote {
    private let span: Range<Int>
    private var points: [Complex]
    private let turns: [Complex]
    private var wind: BandFilter
    private var random: SplitMix64

    init(span: Range<Int>, frequency: Double, random: SplitMix64) {
      self.span = span
      self.random = random
      points = harmonics.map { Complex(0, -amplitude(decibels: level + $0.level)) }
      turns = harmonics.map {
        .onUnitCircle(2 * .pi * frequency * $0.number / Double(standardRate))
      }
      wind = BandFilter(
        from: frequency, to: 5 * frequency, rate: Double(standardRate),
        power: amplitude(decibels: 2 * (level + windLevel)) / 2)
    }

    mutating func next(at frame: Int) -> Double {
      guard span.contains(frame) else { return 0 }
      let seconds = 1 / Double(standardRate)
      let riseFrames = Int(rise / seconds)
      let sinceStart = frame - span.lowerBound
      let untilEnd = span.upperBound - 1 - frame
      let speaking = raisedCosine(sinceStart, of: riseFrames)
      let ending = raisedCosine(untilEnd, of: Int(fall / seconds))
      // The wind rises in a third of the time, and falls from chiff to breath as the pipe speaks.
      let arriving = raisedCosine(sinceStart, of: riseFrames / 3)
      var tone = 0.0
      for index in points.indices {
        tone += points[index].real
        points[index] = points[index] * turns[index]
      }
      let breath = wind.next(random.nextSigned()) * arriving * (chiff - (chiff - 1) * speaking)
      return (tone * speaking + breath) * ending
    }
  }
}
