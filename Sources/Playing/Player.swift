import Basics
import Devices
import Horology
import Sound

/// How long the speaker is kept open after an announcement.
public enum KeepOpen: Hashable, Sendable {
  case lasting(Duration)
  case always
}

/// What the player is fed by.
public protocol Ticker {
  associatedtype Ticks: AnyObject

  /// Calls `handler` again and again, `interval` after it last returned, until what is given back
  /// is released.
  func every(_ interval: Duration, _ handler: @escaping () -> Void) throws(Fault) -> Ticks
}

/// Plays one score at a time on a sink, so that its anchor leaves the converter at an instant.
///
/// The stream runs on silence first; where the score begins in it is decided as late as can be,
/// by what the device says of its own position.
public final class Player {
  /// What the owner has set of the speaker.
  public struct Settings: Hashable, Sendable {
    /// How much earlier than its instant an anchor leaves the converter.
    public var latencyOffset = Duration.zero
    /// What every sample is multiplied by.
    public var gain: Float = 1
    public var keepOpen = KeepOpen.lasting(.zero)

    public init() {}
  }

  /// How fast a stop is silent, once it reaches the converter.
  private static let stopFade = Duration.milliseconds(8)
  /// Silence after the last sound, so that a device which reports its position roughly is not
  /// closed under it.
  private static let tail = Duration.milliseconds(100)
  /// After this much longer than an announcement should take, a device that takes no more has
  /// stalled.
  private static let patience = Duration.seconds(2)
  /// One that runs dry again and again is late, and goes on: so much longer.
  private static let longestDelay = Duration.seconds(10)
  /// A sound server may take two seconds to begin, or to begin anew, and tells no position until
  /// then; one that is silent for longer has stalled.
  private static let longestSilence = Duration.seconds(3)
  /// A device that was not fed for so long has run dry: the machine slept, or stood still. What
  /// was torn is not taken up again.
  private static let longestPause = Duration.seconds(1)

  private let ticker: any Ticker
  private let now: () -> Now
  private let makeSink: () -> any Sink
  public var settings = Settings()
  /// Told once for each `play` that did not throw.
  public var ended: (Outcome) -> Void = { _ in }

  private var stream: Stream?
  private var ticks: AnyObject?
  private var feedInterval = Duration.zero
  /// The device is to be opened anew for what comes next.
  private var isOutdated = false
  private var performance: Performance?
  /// Of the device, when what plays was begun.
  private var underruns = 0
  /// When the performance must be over, or the device has stalled; or when the device is closed.
  private var deadline: Uptime?
  private var taken = Uptime(nanoseconds: 0)
  /// When the device was last fed, since the machine started, sleep included.
  private var fed = Duration.zero

  /// - Parameters:
  ///   - now: reads the clocks before and after the opening.
  ///   - sink: gives the sink whenever one is to be opened.
  public init(
    loop ticker: any Ticker, now: @escaping () -> Now = { SystemClock.now },
    sink: @escaping () -> any Sink
  ) {
    self.ticker = ticker
    self.now = now
    makeSink = sink
  }

  public var isPlaying: Bool { performance != nil }

  /// By when what plays is over, unless the device is late; nil if nothing plays.
  public var endsBy: Uptime? { performance == nil ? nil : deadline }

  /// When the device last took frames, or when what plays was begun; nil if nothing plays.
  public var lastTaken: Uptime? { performance == nil ? nil : taken }

  /// True while the device runs, if only on silence.
  public var isAwake: Bool { stream != nil }

  /// Opens the device and plays what `compose` makes for its rate.
  /// - Parameters:
  ///   - decibels: how loud, on top of what the settings say.
  ///   - latest: what cannot have its anchor by then ends as too late, before it begins; nil of
  ///     what may be late at will.
  /// - Throws: `Fault` if the device cannot be had, or a sound is missing or torn; then nothing
  ///   plays.
  public func play(
    anchoredAt anchor: Instant, decibels: Double = 0, latest: Instant? = nil,
    _ compose: (_ rate: Int) throws(Fault) -> Score
  ) throws(Fault) {
    if longPause() != nil { close() }
    let asked = now()
    do throws(Fault) {
      let stream = try openedStream()
      let score = try compose(stream.rate)
      // Half a time is worse than none: every clip is read once before the first is heard.
      try score.verify()
      let slept = self.now().sleep(since: asked)
      if slept > Self.longestPause {
        throw Fault("speaker \(stream.sink.name)", "the machine slept for \(slept.roughly)")
      }
      performance = Performance(
        score: score, anchor: anchor, latencyOffset: settings.latencyOffset,
        gain: settings.gain * Mixer.gain(decibels: decibels), latest: latest)
      underruns = stream.sink.underruns
      let sounding = Duration.seconds(Double(score.frames - score.anchor) / Double(stream.rate))
      let now = SystemClock.now
      taken = now.uptime
      deadline = max(now.uptime(at: anchor), now.uptime) + sounding + Self.patience
      fed = SystemClock.sinceBoot
      try feed()
    } catch {
      close()
      throw error
    }
  }

  /// Fades out what plays; its end is told as any other.
  public func stop(_ reason: StopReason) {
    guard let performance, let stream, performance.stopReason == nil else { return }
    guard performance.start != nil else { return finish(.stopped(reason, silentAt: nil)) }
    let fade = stream.frames(Self.stopFade)
    let taken = stream.takeBack(fade)
    performance.stop(reason, takenBack: taken, at: stream.written, fadeFrames: fade)
    // At once: the little that was left to the converter is over in milliseconds.
    do throws(Fault) {
      try stream.write(taken.count) { block throws(Fault) in
        try performance.render(into: block, at: stream.written, stream.clock, now())
      }
    } catch {
      return fail(error.description)
    }
    tick()
  }

  /// Closes the device, at once or when what plays on it is over: the next announcement opens it
  /// anew, as it is set then.
  public func closeWhenIdle() {
    if performance == nil { close() } else { isOutdated = true }
  }

  private func openedStream() throws(Fault) -> Stream {
    if let stream { return stream }
    let opened = try Stream(makeSink())
    stream = opened
    try feedInTime(opened.sink)
    return opened
  }

  /// Feeds as often as the device wants it now: one that proves to take nothing back holds less.
  private func feedInTime(_ sink: any Sink) throws(Fault) {
    guard ticks == nil || sink.feedInterval != feedInterval else { return }
    feedInterval = sink.feedInterval
    ticks = try ticker.every(feedInterval) { [unowned self] in tick() }
  }

  private func tick() {
    do {
      try feed()
    } catch {
      return fail(error.description)
    }
    if performance == nil {
      if let deadline, SystemClock.uptime > deadline { close() }
    } else if let stream, let ailment {
      fail("speaker \(stream.sink.name): \(ailment)")
    } else if let delay = performance?.tooLateBy {
      finish(.tooLate(by: delay))
    } else {
      finishIfPlayed()
    }
  }

  /// What held up the feeding for too long, if it was.
  /// - Parameter sinceBoot: now, sleep included.
  private func longPause(until sinceBoot: Duration = SystemClock.sinceBoot) -> String? {
    let pause = sinceBoot - fed
    guard pause > Self.longestPause else { return nil }
    return "the machine slept, or stood still, for \(pause.roughly)"
  }

  private func feed() throws(Fault) {
    guard let stream else { return }
    let sinceBoot = SystemClock.sinceBoot
    if let longPause = longPause(until: sinceBoot) {
      throw Fault("speaker \(stream.sink.name)", longPause)
    }
    fed = sinceBoot
    let now = SystemClock.now
    let written = stream.written
    try stream.feed { block throws(Fault) in
      guard let performance else { return block.update(repeating: 0) }
      try performance.render(into: block, at: stream.written, stream.clock, now)
      // Most sleeps that come in the middle of this come while it renders.
      if let longPause = longPause() { throw Fault("speaker \(stream.sink.name)", longPause) }
    }
    try feedInTime(stream.sink)
    if stream.written > written { taken = now.uptime }
    if let position = stream.lastPosition {
      performance?.measure(stream.clock, played: position.frame)
    }
  }

  /// Why what plays will not come to its end, if it is late.
  private var ailment: String? {
    let now = SystemClock.uptime
    if performance?.start != nil, let told = stream?.lastPosition?.uptime,
      now - told > Self.longestSilence
    {
      return Stream.hasStalled
    }
    guard let deadline, now > deadline else { return nil }
    if now - taken > Self.patience { return Stream.hasStalled }
    return now > deadline + Self.longestDelay ? "it plays too slowly" : nil
  }

  private func finishIfPlayed() {
    guard let performance, let stream, let end = performance.end,
      let played = stream.lastPosition?.frame, played >= Double(end + stream.frames(Self.tail))
    else { return }
    if let reason = performance.stopReason {
      let silentAt = stream.clock.uptime(ofFrame: Double(end))
      finish(.stopped(reason, silentAt: hasBegun ? silentAt : nil))
    } else {
      performance.measure(stream.clock, played: played, isOver: true)
      finish(.finished(performance.timing(underruns: stream.sink.underruns - underruns)))
    }
  }

  /// True if some of the score has left the converter.
  private var hasBegun: Bool {
    guard let start = performance?.start, let position = stream?.lastPosition else { return false }
    return position.frame > Double(start)
  }

  private func fail(_ why: String) {
    // What a sleep has torn fails in many ways, should it have come in the middle of the feeding.
    let slept = longPause().flatMap { pause in stream.map { "speaker \($0.sink.name): \(pause)" } }
    let wasPlaying = performance != nil
    let begun = hasBegun
    close()
    // A device that goes while nothing plays is opened anew for the next announcement.
    if wasPlaying { ended(.failed(slept ?? why, begun: begun)) }
  }

  private func finish(_ outcome: Outcome) {
    performance = nil
    switch settings.keepOpen {
    case _ where isOutdated: close()
    case .always: deadline = nil
    case .lasting(let duration):
      deadline = SystemClock.uptime + duration
      if duration == .zero { close() }
    }
    ended(outcome)
  }

  private func close() {
    performance = nil
    ticks = nil
    stream = nil
    isOutdated = false
  }
}
