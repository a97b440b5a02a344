import Horology
import Sound

/// The sound of a signal, frame by frame from the moment of its cue. No room is added, so that it
/// is short.
public struct SignalSound: SynthesisedSound {
  public let frames: Int
  private let fadeFrames: Int
  private let riseFrames: Int
  private var position = 0
  private var blows: [(start: Int, partials: PartialBank)] = []

  public init(_ signal: Signal) {
    let rate = Double(standardRate)
    let figure = SignalFigure(signal)
    frames = Int((signal.length.inSeconds * rate).rounded())
    fadeFrames = Int((figure.fade * rate).rounded())
    riseFrames = Int((figure.instrument.rise * rate).rounded())
    for chord in figure.chords {
      for (index, note) in chord.notes.enumerated() {
        let partials = figure.instrument.blow(
          frequency: SignalFigure.frequency(of: note),
          level: figure.level + chord.level + (index == 0 ? 0 : SignalFigure.underneath), rate: rate
        )
        blows.append((Int((chord.time * rate).rounded()), partials))
      }
    }
  }

  public mutating func render(into block: UnsafeMutableBufferPointer<Int16>) -> Int {
    let count = min(block.count, frames - position)
    guard count > 0 else { return 0 }
    withUnsafeTemporaryAllocation(of: Double.self, capacity: 2 * count) { both in
      both.initialize(repeating: 0)
      let sum = UnsafeMutableBufferPointer(rebasing: both[..<count])
      let blow = UnsafeMutableBufferPointer(rebasing: both[count...])
      for index in blows.indices { add(&blows[index], to: sum, by: blow) }
      for frame in sum.indices {
        let untilEnd = frames - 1 - (position + frame)
        block[frame] = sample(sum[frame] * raisedCosine(untilEnd, of: fadeFrames))
      }
    }
    position += count
    return count
  }

  /// Adds the sound of a blow to the frames of `sum`; `scratch` has the same length.
  private func add(
    _ blow: inout (start: Int, partials: PartialBank), to sum: UnsafeMutableBufferPointer<Double>,
    by scratch: UnsafeMutableBufferPointer<Double>
  ) {
    let first = max(blow.start - position, 0)
    guard first < sum.count else { return }
    let sounding = UnsafeMutableBufferPointer(rebasing: scratch[first...])
    sounding.update(repeating: 0)
    blow.partials.add(to: sounding)
    for frame in first..<sum.count {
      let sinceBlow = position + frame - blow.start
      sum[frame] += scratch[frame] * raisedCosine(sinceBlow, of: riseFrames)
    }
  }
}
