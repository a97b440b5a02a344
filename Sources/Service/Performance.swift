import Horology
import Sound

/// One score on an opened stream: where it begins, what of it is rendered, how well it met its
/// moments. It reads no clock.
final class Performance {
  private let mixer: Mixer
  private let anchor: Instant
  private let latencyOffset: Duration

  /// The stream's frame at which the score begins, once that is decided.
  private(set) var start: Int?
  /// The stream's frame after which nothing more sounds.
  private(set) var end: Int?
  /// When the anchor is to leave the converter; fixed with `start`. Until the anchor is placed it
  /// follows a clock that is set a little; what comes later belongs to the anchor.
  private var target: Uptime?
  /// By how much it began too late, as a whole.
  private var delay = Duration.zero
  private let latest: Instant?
  /// By how much it would begin too late at the earliest, if that is later than it may.
  private(set) var tooLateBy: Duration?

  private(set) var stopReason: StopReason?
  private var fade: (start: Int, frames: Int)?
  /// What had been written and was taken back, to be faded.
  private var replay: ArraySlice<Float> = []

  /// The blows that have been placed, and whose moment is not measured yet.
  private var placed: [(frame: Int, ideal: Uptime, isAnchor: Bool)] = []
  private var onsetError: Duration?
  private var worstError: Duration?
  /// How long after a blow its moment is measured: among the readings, so that nothing is
  /// extrapolated.
  private static let measuredAfter = Duration.milliseconds(300)

  /// - Parameter latest: what cannot have its anchor by then does not begin; nil of what may be
  ///   late at will. Before that it is moved as a whole.
  init(
    score: Score, anchor: Instant, latencyOffset: Duration, gain: Float, latest: Instant? = nil
  ) {
    mixer = Mixer(score: score, gain: gain)
    self.anchor = anchor
    self.latest = latest
    self.latencyOffset = latencyOffset
  }

  /// Renders the next frames of the stream, the first of which is frame `written`.
  func render(
    into block: UnsafeMutableBufferPointer<Float>, at written: Int, _ clock: StreamClock, _ now: Now
  ) throws(Fault) {
    var silence = 0
    try refuseIfClockWasSet(clock, now)
    followClock(clock, now)
    if start == nil {
      decideStart(within: block.count, at: written, clock, now)
      silence = start.map { $0 - written } ?? block.count
    }
    // Of what was stopped only its fade is rendered: the rest would cost time and be unheard.
    let sounding = max(silence, min(block.count, (end ?? .max) - written))
    block[..<silence].update(repeating: 0)
    block[sounding...].update(repeating: 0)
    if silence < sounding {
      try renderScore(
        into: UnsafeMutableBufferPointer(rebasing: block[silence..<sounding]),
        at: written + silence, clock)
    }
    if end == nil && start != nil && mixer.hasEnded { end = written + block.count }
  }

  /// - Throws: `Fault` if it is queued for a moment that is no longer its own, and none of it has
  ///   been heard.
  private func refuseIfClockWasSet(_ clock: StreamClock, _ now: Now) throws(Fault) {
    guard let latest, let start, let target, let heard = clock.frame(at: now.uptime),
      heard < Double(start)
    else { return }
    let step = now.uptime(at: anchor) - latencyOffset - target
    if step.magnitude >= max(Announcer.stepThreshold, latest - anchor) {
      throw Fault("the announcement", "the clock was set just before it")
    }
  }

  /// Moves the blows that are not queued yet with a clock that was set.
  private func followClock(_ clock: StreamClock, _ now: Now) {
    guard let target, mixer.position < mixer.score.anchor,
      let heard = clock.frame(at: now.uptime)
    else { return }
    let moved = now.uptime(at: anchor) - latencyOffset
    let step = moved - target
    guard (Announcer.stepThreshold...Announcer.longestFollowedStep).contains(step.magnitude)
    else { return }
    self.target = moved
    // Those that are queued come when they would have come, which is no longer their moment.
    for index in placed.indices where Double(placed[index].frame) > heard {
      placed[index].ideal = placed[index].ideal + step
    }
  }

  /// Decides where the score begins, if that is among the next `count` frames. Words that should
  /// have begun already begin now, unless that is too late.
  private func decideStart(
    within count: Int, at written: Int, _ clock: StreamClock, _ now: Now
  ) {
    let target = now.uptime(at: anchor) - latencyOffset
    guard let anchorFrame = clock.frame(at: target) else { return }
    let wanted = Int(anchorFrame.rounded()) - mixer.score.anchor
    guard tooLateBy == nil, wanted < written + count else { return }
    delay = .seconds(Double(max(written - wanted, 0)) / Double(mixer.score.rate))
    if let latest, anchor + delay > latest {
      tooLateBy = delay
      return
    }
    start = max(wanted, written)
    self.target = target
  }

  private func renderScore(
    into block: UnsafeMutableBufferPointer<Float>, at frame: Int, _ clock: StreamClock
  ) throws(Fault) {
    let replayed = min(replay.count, block.count)
    for index in 0..<replayed { block[index] = replay[replay.startIndex + index] }
    replay = replay.dropFirst(replayed)
    if replayed < block.count {
      let rest = UnsafeMutableBufferPointer(rebasing: block[replayed...])
      followDrift(clock)
      try mixer.render(into: rest) { scored, placed in note(scored, placed) }
    }
    if let fade {
      for index in block.indices {
        let left = fade.start + fade.frames - (frame + index)
        block[index] *= quarterSine(left, of: fade.frames)
      }
    }
  }

  // MARK: Keeping to the moments

  /// When a frame of the score is to leave the converter.
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

  private func note(_ scored: Int, _ place: Int) {
    guard let start, let target else { return }
    placed.append((start + place, ideal(scored, target), scored == mixer.score.anchor))
  }

  /// Measures every blow that has left the converter, `isOver` or not a moment ago.
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

  /// Fades to silence from frame `written` on, where `taken` had been written before.
  func stop(_ reason: StopReason, takenBack taken: [Float], at written: Int, fadeFrames: Int) {
    stopReason = reason
    replay = taken.prefix(fadeFrames)
    fade = (written, fadeFrames)
    end = written + fadeFrames
  }
}
