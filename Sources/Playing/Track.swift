import Basics
import Horology
import Sound

/// One score that plays: where it begins in the stream, what is rendered of it, and how well it met
/// its moments. It remembers what it has rendered, so that the stream can go back and be summed up
/// again with it faded.
final class Track {
  let sounding: SoundingID
  private let ducking: Ducking
  private let mixer: Mixer
  private let anchor: Anchor
  private let latencyOffset: Duration
  private let gain: Float

  /// The stream's frame at which the score begins, once that is decided.
  private(set) var start: Int?
  /// The stream's frame at which its anchor is, give or take the drift of the converter.
  var anchorFrame: Int? { start.map { $0 + mixer.score.anchor } }
  /// The first frame of the stream at which nothing more of it sounds.
  private(set) var end: Int?
  /// When the anchor is to leave the converter; fixed with `start`.
  private var target: Uptime?
  private var delay = Duration.zero
  private let mayBeLateBy: Duration?
  /// How late it would begin at the earliest, if that is later than allowed.
  private(set) var tooLateBy: Duration?

  /// How much of it was heard, as the player has told.
  var told = Heard.nothing
  var deadline = Uptime(nanoseconds: 0)
  /// The sink's underruns when it was added.
  var underrunsBefore = 0
  private(set) var stopReason: StopReason?
  /// Why it cannot go on; nothing more of it sounds.
  private(set) var failure: String?
  private var fade: Fade?

  private var memory: FrameMemory
  private var rendered = 0

  /// The blows that are placed and whose moment is not measured yet.
  private var placed: [(frame: Int, ideal: Uptime, isAnchor: Bool)] = []
  private var onsetError: Duration?
  private var worstError: Duration?
  /// A blow is measured this long after it, among the readings, so that nothing is extrapolated.
  private static let measuredAfter = Duration.milliseconds(300)

  /// - Parameters:
  ///   - mayBeLateBy: how late the anchor may be. A score that would be later does not begin; one
  ///     that is less late is moved as a whole. Nil for no limit.
  ///   - memory: how many frames it remembers.
  init(
    _ sounding: SoundingID, _ score: Score, anchor: Anchor, latencyOffset: Duration,
    gain: Float = 1, mayBeLateBy: Duration? = nil, ducking: Ducking = .none, memory: Int
  ) {
    self.sounding = sounding
    mixer = Mixer(score: score)
    self.anchor = anchor
    self.latencyOffset = latencyOffset
    self.gain = gain
    self.mayBeLateBy = mayBeLateBy
    self.ducking = ducking
    self.memory = FrameMemory(atLeast: memory)
  }

  /// Adds the part of it that falls into `sum`, whose first frame is frame `frame` of the stream.
  /// - Parameter ducking: factor for a frame, because of other sounds; nil if nothing ducks it.
  func add(
    to sum: UnsafeMutableBufferPointer<Float>, at frame: Int, ducking: ((Int) -> Float)?,
    scratch: UnsafeMutableBufferPointer<Float>, _ clock: StreamClock, _ now: Now
  ) {
    if failure == nil {
      if start == nil { decideStart(within: sum.count, at: frame, clock, now) }
      if start != nil { render(until: min(frame + sum.count, end ?? .max), scratch, clock) }
    }
    guard let start else { return }
    let first = max(start, frame)
    let last = min(frame + sum.count, end ?? .max)
    guard first < last else { return }
    for place in first..<last {
      var sample = memory[place] * gain
      if let ducking { sample *= ducking(place) }
      if let fade { sample *= fade.level(at: place) }
      sum[place - frame] += sample
    }
  }

  /// Renders it up to a frame of the stream, or to its end, and remembers it.
  private func render(
    until last: Int, _ scratch: UnsafeMutableBufferPointer<Float>, _ clock: StreamClock
  ) {
    while rendered < last, !mixer.hasEnded {
      let block = UnsafeMutableBufferPointer(
        rebasing: scratch[..<min(last - rendered, scratch.count)])
      followDrift(clock)
      do throws(Fault) {
        try mixer.render(into: block) { scored, placed in recordBlow(scored, placed) }
      } catch {
        failure = error.description
        end = min(end ?? .max, rendered)
        return
      }
      for (index, sample) in block.enumerated() { memory[rendered + index] = sample }
      rendered += block.count
      if mixer.hasEnded, let start { end = min(end ?? .max, start + mixer.silentFrom) }
    }
  }

  // MARK: Turning others down

  var ducksOthers: Bool { ducking != .none }

  /// The frame of the stream at which the others begin to return; nil if that is not known yet.
  var duckingEnd: Int? {
    guard case .until(let span) = ducking, let anchorFrame else { return end }
    return min(anchorFrame + Int(span.inSeconds * Double(mixer.score.rate)), end ?? .max)
  }

  // MARK: Beginning

  /// Decides where the score begins, if that is among the next `count` frames. Words that should
  /// have begun already begin now, unless that is too late.
  private func decideStart(within count: Int, at frame: Int, _ clock: StreamClock, _ now: Now) {
    let target = now.uptime(at: anchor) - latencyOffset
    guard let anchorFrame = clock.frame(at: target) else { return }
    let wanted = Int(anchorFrame.rounded()) - mixer.score.anchor
    guard tooLateBy == nil, wanted < frame + count else { return }
    delay = .seconds(Double(max(frame - wanted, 0)) / Double(mixer.score.rate))
    if let mayBeLateBy, delay > mayBeLateBy {
      tooLateBy = delay
      return
    }
    start = max(wanted, frame)
    rendered = max(wanted, frame)
    self.target = target
  }

  // MARK: Keeping to the moments

  private func ideal(_ scored: Int, _ target: Uptime) -> Uptime {
    target + .seconds(Double(scored - mixer.score.anchor) / Double(mixer.score.rate))
  }

  /// The next blow is placed by what the converter's clock says now, so that a drift never adds up.
  private func followDrift(_ clock: StreamClock) {
    guard let start, let target,
      let frame = clock.frame(at: ideal(mixer.position, target + delay))
    else { return }
    mixer.shift = Int(frame.rounded()) - (start + mixer.position)
  }

  private func recordBlow(_ scored: Int, _ place: Int) {
    guard let start, let target else { return }
    placed.append((start + place, ideal(scored, target), scored == mixer.score.anchor))
  }

  /// Measures the blows that left the converter at least `measuredAfter` ago, or if it is over, all.
  func measure(_ clock: StreamClock, played: Double, isOver: Bool = false) {
    let wait = isOver ? 0 : Self.measuredAfter.inSeconds * Double(mixer.score.rate)
    while let blow = placed.first, Double(blow.frame) + wait <= played {
      placed.removeFirst()
      guard let left = clock.uptime(ofFrame: Double(blow.frame)) else { continue }
      let error = left - blow.ideal
      if blow.isAnchor { onsetError = error }
      if error.magnitude >= worstError?.magnitude ?? .zero { worstError = error }
    }
  }

  func timing(underruns: Int) -> Timing {
    Timing(onsetError: onsetError, worstError: worstError, underruns: underruns)
  }

  // MARK: Stopping

  /// Fades the track out. It is silent earlier if nothing more of it is remembered.
  func fade(_ fade: Fade) {
    self.fade = fade
    end = min(end ?? .max, fade.end)
  }

  /// Nothing of it sounds after this fade. A track that is over before the fade ends as usual.
  /// - Parameter isAlone: true if the sum is faded, and not this track.
  func stop(_ reason: StopReason, _ fade: Fade, isAlone: Bool) {
    if let end, end <= fade.start { return }
    stopReason = reason
    if isAlone { end = min(end ?? .max, fade.end) } else { self.fade(fade) }
  }
}

/// From full level to silence, as a quarter of a cosine.
struct Fade {
  /// The stream's frame at which the level begins to fall.
  let start: Int
  let frames: Int

  /// The first frame of silence.
  var end: Int { start + frames }

  func level(at frame: Int) -> Float {
    frame < start ? 1 : quarterSine(max(end - frame, 0), of: frames)
  }
}
