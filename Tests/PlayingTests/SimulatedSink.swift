import Basics
import Glibc
import Horology

@testable import Devices

/// A speaker in virtual time. Its converter may be slow, jitter, stand still, and fail.
final class SimulatedSink: Sink {
  let name = "test"
  let feedInterval = Duration.milliseconds(20)
  let rate: Int
  let capacity: Int
  private let loop: VirtualLoop

  /// How fast it runs, as a factor.
  var pace = 1.0
  /// The greatest error of a reading.
  var jitter = Duration.zero
  /// Readings are rounded down to a multiple of this.
  var step: Duration?
  /// When it stands still: how long after the opening, and for how long.
  var gap: (after: Duration, lasting: Duration)?
  /// Whether it tells a position at this time after the opening.
  var tells: (Duration) -> Bool = { _ in true }
  var takesBack = true
  /// It is torn out after so many frames.
  var framesLeft = Int.max
  /// Called with each block that was written.
  var wrote: (UnsafeBufferPointer<Float>) -> Void = { _ in }

  /// All frames that were written since it was opened, and not taken back.
  private(set) var heard: [Float] = []
  private(set) var openings = 0
  /// Why it cannot be opened.
  var flaw: Fault?
  private var isOpen = false
  /// What was called, in order.
  var calls: [String] = []
  var otherUnderruns = 0
  private var openedAt = Uptime(seconds: 0)
  private var readings = 0

  init(_ loop: VirtualLoop, rate: Int = 48_000) {
    self.loop = loop
    self.rate = rate
    capacity = rate / 5
  }

  func open() throws(Fault) -> Int {
    openings += 1
    if let flaw { throw flaw }
    guard !isOpen else { throw Fault("cannot open speaker test", errno: EBUSY) }
    isOpen = true
    openedAt = loop.uptime
    heard = []
    return rate
  }

  private var span: Duration { loop.uptime - openedAt }
  /// How much of the gap has passed.
  private var stood: Duration {
    gap.map { min(max(span - $0.after, .zero), $0.lasting) } ?? .zero
  }
  private var played: Double { (span - stood).inSeconds * Double(rate) * pace }
  var underruns: Int { otherUnderruns + (stood > .zero && stood == gap?.lasting ? 1 : 0) }

  func space() throws(Fault) -> Int { max(Int(played) + capacity - heard.count, 0) }

  func write(_ block: UnsafeBufferPointer<Float>) throws(Fault) {
    calls.append("write \(block.count)")
    framesLeft -= block.count
    if framesLeft < 0 { throw Fault("cannot write to speaker test", "it is gone") }
    heard += block
    wrote(block)
  }

  func takeBack() -> Int {
    calls.append("take back")
    let count = takesBack ? max(heard.count - Int(played) - rate / 200, 0) : 0
    heard.removeLast(count)
    framesLeft += framesLeft == .max ? 0 : count
    return count
  }

  func position() throws(Fault) -> StreamPosition? {
    guard tells(span) else { return nil }
    readings += 1
    let wave = Double((readings * 7) % 11 - 5) / 5
    var told = played + wave * jitter.inSeconds * Double(rate)
    if let step {
      let frames = step.inSeconds * Double(rate)
      told = (played / frames).rounded(.down) * frames
    }
    return StreamPosition(uptime: loop.uptime, frame: told)
  }

  func close() {
    isOpen = false
    heard.removeLast(max(heard.count - Int(played), 0))
  }

  /// When each sound that follows silence left the converter.
  var onsets: [Uptime] {
    let starts = heard.indices.filter { heard[$0] != 0 && ($0 == 0 || heard[$0 - 1] == 0) }
    return starts.map {
      let left = Duration.seconds(Double($0) / (Double(rate) * pace))
      guard let gap, left > gap.after else { return openedAt + left }
      return openedAt + left + gap.lasting
    }
  }

  /// The frames that sound.
  var sounding: [Int] { heard.indices.filter { heard[$0] != 0 } }

  /// How often a frame is far from the one before it.
  var steps: Int { zip(heard, heard.dropFirst()).filter { abs($1 - $0) > 0.01 }.count }
}
