import CLinux
import Devices
@preconcurrency import Glibc
import Horology
import Sound

/// Plays one score at a time on a sink, so that its anchor leaves the converter at an instant.
///
/// The stream runs on silence first; where the score begins in it is decided as late as can be,
/// by what the device says of its own position.
public final class Player {
  /// How fast a stop is silent, once it reaches the converter.
  private static let stopFade = Duration.milliseconds(20)
  /// Silence after the last sound, so that a device which reports its position roughly is not
  /// closed under it.
  private static let tail = Duration.milliseconds(100)
  /// After this much longer than an announcement should take, the device has stalled.
  private static let patience = Duration.seconds(2)
  private static let blockFrames = 1024

  private let loop: EventLoop
  private let makeSink: () -> any Sink
  /// How much earlier than its instant an anchor leaves the converter.
  public var latencyOffset: Duration
  /// Told once for each `play` that did not throw.
  public var ended: (Outcome) -> Void = { _ in }

  private let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: Player.blockFrames)
  private var performance: Performance?
  private var sink: (any Sink)?
  private var sources: [EventSource] = []

  /// - Parameter sink: gives the sink for the next announcement.
  public init(loop: EventLoop, latencyOffset: Duration, sink: @escaping () -> any Sink) {
    self.loop = loop
    makeSink = sink
    self.latencyOffset = latencyOffset
  }

  deinit {
    sources = []
    sink?.close()
    block.deallocate()
  }

  public var isPlaying: Bool { performance != nil }

  /// Opens the device and plays what `compose` makes for its rate.
  /// - Throws: `Fault` if the device cannot be had, or a sound is missing or torn; then nothing
  ///   plays.
  public func play(
    anchoredAt anchor: Instant, _ compose: (_ rate: Int) throws(Fault) -> Score
  ) throws(Fault) {
    let sink = makeSink()
    let rate = try sink.open()
    self.sink = sink
    do {
      let score = try compose(rate)
      // Half a time is worse than none: every clip is read once before the first is heard.
      try score.verify()
      performance = Performance(score: score, anchor: anchor)
      try watch(sink, until: anchor, frames: score.frames - score.anchor, rate: rate)
      try feed()
    } catch {
      close()
      throw error
    }
  }

  /// Fades out what plays; its end is told as any other.
  public func stop(_ reason: StopReason) {
    guard let performance else { return }
    guard performance.start != nil else { return finish(.stopped(reason)) }
    performance.stopReason = reason
    performance.mixer.stop(within: performance.frames(Self.stopFade))
  }

  private func watch(
    _ sink: any Sink, until anchor: Instant, frames: Int, rate: Int
  ) throws(Fault) {
    for request in sink.pollRequests {
      // Of poll's events those that epoll knows as well, by the same numbers.
      let events = UInt32(request.events) & (EPOLLIN.rawValue | EPOLLOUT.rawValue)
      sources.append(
        try loop.whenReady(request.descriptor, events: events) { [unowned self] in step() })
    }
    let sounding = Duration.seconds(Double(frames) / Double(rate))
    let untilAnchor = max(anchor - SystemClock.now.instant, .zero)
    sources.append(
      try loop.after(untilAnchor + sounding + Self.patience) { [unowned self] in
        fail("the speaker \(sink.name) has stopped taking sound")
      })
  }

  private func step() {
    do {
      try feed()
    } catch {
      return fail(error.description)
    }
    guard let performance, let end = performance.end, let position = performance.lastPosition
    else { return }
    if position.frame >= Double(end + performance.frames(Self.tail)) {
      finish(
        performance.stopReason.map(Outcome.stopped)
          ?? .finished(onsetError: performance.onsetError))
    }
  }

  /// Gives the sink as many frames as it takes.
  private func feed() throws(Fault) {
    guard let performance, let sink else { return }
    var space = try sink.space()
    if let position = try sink.position() {
      performance.note(position, latencyOffset: latencyOffset)
    }
    while space > 0 {
      let count = min(space, block.count)
      let part = UnsafeMutableBufferPointer(rebasing: block[..<count])
      try performance.render(into: part, latencyOffset: latencyOffset)
      try sink.write(UnsafeBufferPointer(part))
      space -= count
    }
  }

  private func fail(_ why: String) {
    let begun = performance?.hasBegun ?? false
    finish(.failed(why, begun: begun))
  }

  private func finish(_ outcome: Outcome) {
    close()
    ended(outcome)
  }

  private func close() {
    sources = []
    performance = nil
    sink?.close()
    sink = nil
  }
}

/// One score on one opened stream.
private final class Performance {
  let mixer: Mixer
  let anchor: Instant
  var stopReason: StopReason?

  /// The stream's frame at which the score begins, once that is decided.
  private(set) var start: Int?
  /// The stream's frame after which nothing more sounds.
  private(set) var end: Int?
  private(set) var lastPosition: StreamPosition?
  /// By how much the anchor frame left the converter too late.
  private(set) var onsetError = Duration.zero
  /// How long after the anchor its error is still measured.
  private static let onsetWindow = Duration.milliseconds(500)
  private var clock: StreamClock
  private var written = 0

  init(score: Score, anchor: Instant) {
    mixer = Mixer(score: score)
    clock = StreamClock(rate: score.rate)
    self.anchor = anchor
  }

  func frames(_ duration: Duration) -> Int {
    Int((duration.inSeconds * Double(mixer.score.rate)).rounded())
  }

  func note(_ position: StreamPosition, latencyOffset: Duration) {
    lastPosition = position
    clock.add(position)
    guard let start else { return }
    // Measured while the anchor is within the readings, so that nothing is extrapolated far.
    let anchorFrame = Double(start + mixer.score.anchor)
    if position.frame < anchorFrame + Double(frames(Self.onsetWindow)) {
      onsetError =
        clock.uptime(ofFrame: anchorFrame)
        .map { $0 - (SystemClock.now.uptime(at: anchor) - latencyOffset) } ?? .zero
    }
  }

  /// True if some of the score has left the converter.
  var hasBegun: Bool {
    guard let start, let lastPosition else { return false }
    return lastPosition.frame > Double(start)
  }

  func render(
    into block: UnsafeMutableBufferPointer<Float>, latencyOffset: Duration
  ) throws(Fault) {
    var silence = 0
    if start == nil {
      start = decideStart(within: block.count, latencyOffset: latencyOffset)
      silence = start.map { $0 - written } ?? block.count
    }
    block[..<silence].update(repeating: 0)
    if silence < block.count {
      try mixer.render(into: UnsafeMutableBufferPointer(rebasing: block[silence...]))
    }
    written += block.count
    if end == nil && start != nil && mixer.hasEnded { end = written }
  }

  /// The frame at which the score must begin, if it is among the next `count`. One that should
  /// have begun already begins now.
  private func decideStart(within count: Int, latencyOffset: Duration) -> Int? {
    let target = SystemClock.now.uptime(at: anchor) - latencyOffset
    guard let anchorFrame = clock.frame(at: target) else { return nil }
    let wanted = Int(anchorFrame.rounded()) - mixer.score.anchor
    return wanted < written + count ? max(wanted, written) : nil
  }
}
