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

  /// Calls `handler` again and again, `interval` after it was last called or at once if that took
  /// longer, until what is given back is released.
  func every(_ interval: Duration, _ handler: @escaping () -> Void) throws(Fault) -> Ticks
}

/// Plays scores on a sink, each so that its anchor leaves the converter at its moment.
///
/// The stream runs on silence first; where a score begins in it is decided as late as can be, by
/// what the device says of its own position.
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
  /// What is left as it was, while what goes on is rendered without what was stopped.
  private static let respite = Duration.milliseconds(4)
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
  /// The gain counts for what begins in silence.
  public var settings = Settings()
  /// Told once for each `play` that did not throw.
  public var ended: (SoundingID, Outcome) -> Void = { _, _ in }

  /// A score that plays, and the device as it was when it was begun.
  private struct Turn {
    let track: Track
    let underruns: Int
    /// When it must be over, or the device has stalled.
    let deadline: Uptime
  }

  private var stream: Stream?
  private var desk: Desk?
  private var turns: [Turn] = []
  private var ticks: AnyObject?
  private var feedInterval = Duration.zero
  /// A stop has been tried on the silence that the stream begins with.
  private var hasRehearsed = false
  /// The device is to be opened anew for what comes next.
  private var isOutdated = false
  /// When the device is closed, while nothing plays; nil for never.
  private var closing: Uptime?
  private var taken = Uptime(nanoseconds: 0)
  /// When the device was last fed, since the machine started, sleep included.
  private var fed = Duration.zero

  /// - Parameters:
  ///   - now: reads the clocks.
  ///   - sink: gives the sink whenever one is to be opened.
  public init(
    loop ticker: any Ticker, now: @escaping () -> Now = { SystemClock.now },
    sink: @escaping () -> any Sink
  ) {
    self.ticker = ticker
    self.now = now
    makeSink = sink
  }

  public var isPlaying: Bool { !turns.isEmpty }

  /// True while this has no place in the stream yet.
  public func isWaiting(_ sounding: SoundingID) -> Bool {
    turns.contains { $0.track.sounding == sounding && $0.track.start == nil }
  }

  /// By when what plays is over, unless the device is late; nil if nothing plays.
  public var endsBy: Uptime? { turns.map(\.deadline).max() }

  /// When the device last took frames, or when what plays was begun; nil if nothing plays.
  public var lastTaken: Uptime? { isPlaying ? taken : nil }

  /// True while the device runs, if only on silence.
  public var isAwake: Bool { stream != nil }

  /// Opens the device and plays what `compose` makes for its rate.
  /// - Throws: `Fault` if the device cannot be had, or a sound is missing or torn; then it does not
  ///   play.
  public func play(
    _ sounding: Sounding, _ compose: (_ rate: Int) throws(Fault) -> Score
  ) throws(Fault) {
    try play(
      sounding.id, anchoredAt: sounding.anchor, decibels: sounding.decibels,
      mayBeLateBy: sounding.mayBeLateBy, ducksOthers: sounding.ducksOthers, compose)
  }

  /// Opens the device and plays what `compose` makes for its rate.
  /// - Parameters:
  ///   - decibels: how loud, on top of what the settings say.
  ///   - mayBeLateBy: what cannot have its anchor by then ends as too late, before it begins; nil
  ///     of what may be late at will.
  ///   - ducksOthers: what sounds beside it is turned down meanwhile.
  /// - Throws: `Fault` if the device cannot be had, or a sound is missing or torn; then it does not
  ///   play.
  public func play(
    _ sounding: SoundingID, anchoredAt anchor: Anchor, decibels: Double = 0,
    mayBeLateBy: Duration? = nil, ducksOthers: Bool = false,
    _ compose: (_ rate: Int) throws(Fault) -> Score
  ) throws(Fault) {
    if !isPlaying && longPause() != nil { close() }
    let asked = now()
    do throws(Fault) {
      let (stream, desk) = try opened()
      let score = try compose(stream.rate)
      // Half a time is worse than none: every clip is read once before the first is heard. What
      // else sounds goes on meanwhile.
      try score.verify { () throws(Fault) in if isPlaying { try feed() } }
      let slept = self.now().sleep(since: asked)
      if slept > Self.longestPause {
        throw Fault("speaker \(stream.sink.name)", "the machine slept for \(slept.roughly)")
      }
      let length = Duration.seconds(Double(score.frames - score.anchor) / Double(stream.rate))
      let now = self.now()
      if !isPlaying {
        desk.gain = settings.gain
        taken = now.uptime
        fed = now.sinceBoot
      }
      let track = Track(
        sounding, score, anchor: anchor, latencyOffset: settings.latencyOffset,
        gain: Mixer.gain(decibels: decibels), mayBeLateBy: mayBeLateBy, ducksOthers: ducksOthers,
        memory: desk.memoryOfTracks)
      desk.add(track)
      turns.append(
        Turn(
          track: track, underruns: stream.sink.underruns,
          deadline: max(now.uptime(at: anchor), now.uptime) + length + Self.patience))
      do throws(Fault) {
        try feed()
      } catch {
        drop(track)
        throw error
      }
    } catch {
      if !isPlaying { close() }
      throw error
    }
  }

  /// Fades these out; the end of each is told as any other.
  public func stop(_ soundings: [SoundingID], _ reason: StopReason) {
    let stopped = turns.map(\.track).filter {
      soundings.contains($0.sounding) && $0.stopReason == nil
    }
    let begun = stopped.filter { $0.start != nil }
    if let stream, let desk, !begun.isEmpty {
      let fade = stream.frames(Self.stopFade)
      let isAlone = !desk.sounds(besides: begun)
      do throws(Fault) {
        // At once, and before anything is reckoned.
        if isAlone {
          try fadeWhatIsQueued(stream, desk, now()) { taken in
            desk.goBack(by: taken)
            desk.stop(begun, reason, fadeFrames: fade)
          }
        } else {
          // What else sounds goes on as it was meanwhile.
          let respite = stream.frames(Self.respite)
          let (taken, rewritten) = try stream.takeBack(rewriting: respite)
          desk.goBack(by: taken - rewritten)
          desk.stop(begun, reason, fadeFrames: fade)
        }
      } catch {
        return fail(error.description)
      }
    }
    for track in stopped where track.start == nil {
      finish(track, .stopped(reason, silentAt: nil))
    }
    if !begun.isEmpty { tick() }
  }

  /// Closes the device, at once or when what plays on it is over: the next announcement opens it
  /// anew, as it is set then.
  public func closeWhenIdle() {
    if isPlaying { isOutdated = true } else { close() }
  }

  private func opened() throws(Fault) -> (Stream, Desk) {
    if let stream, let desk { return (stream, desk) }
    let opened = try Stream(makeSink())
    let made = Desk(rate: opened.rate, memory: opened.sink.capacity)
    (stream, desk) = (opened, made)
    hasRehearsed = false
    try feedInTime(opened.sink)
    return (opened, made)
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
    if !isPlaying {
      if let closing, now().uptime > closing { close() }
    } else if let stream, let ailment {
      fail("speaker \(stream.sink.name): \(ailment)")
    } else {
      for turn in turns where turns.contains(where: { $0.track === turn.track }) {
        finishIfOver(turn)
      }
    }
  }

  /// What held up the feeding for too long, if it was.
  /// - Parameter sinceBoot: how long the machine has run, sleep included, if it has been read.
  private func longPause(until sinceBoot: Duration? = nil) -> String? {
    let pause = (sinceBoot ?? now().sinceBoot) - fed
    guard pause > Self.longestPause else { return nil }
    return "the machine slept, or stood still, for \(pause.roughly)"
  }

  private func feed() throws(Fault) {
    guard let stream, let desk else { return }
    let now = now()
    if let longPause = longPause(until: now.sinceBoot) {
      throw Fault("speaker \(stream.sink.name)", longPause)
    }
    fed = now.sinceBoot
    try rehearse(stream, desk, now)
    let written = stream.written
    try stream.feed { block throws(Fault) in
      desk.render(into: block, stream.clock, now)
      // Most sleeps that come in the middle of this come while it renders.
      if isPlaying, let longPause = longPause() {
        throw Fault("speaker \(stream.sink.name)", longPause)
      }
    }
    try feedInTime(stream.sink)
    if stream.written > written { taken = now.uptime }
    if let position = stream.lastPosition {
      for turn in turns { turn.track.measure(stream.clock, played: position.frame) }
    }
  }

  /// Stops the silence that the stream begins with: what a stop needs is read from the disk when it
  /// is needed first, and that takes longer than the converter has to play then.
  private func rehearse(_ stream: Stream, _ desk: Desk, _ now: Now) throws(Fault) {
    guard !hasRehearsed, stream.written > 0, !turns.contains(where: { $0.track.start != nil })
    else { return }
    hasRehearsed = true
    try fadeWhatIsQueued(stream, desk, now) { desk.goBack(by: $0) }
  }

  /// Fades out what sounds, and nothing else is done before that.
  /// - Parameter goBack: has the desk go back by so many frames, which are to be rendered again.
  private func fadeWhatIsQueued(
    _ stream: Stream, _ desk: Desk, _ now: @autoclosure () -> Now, _ goBack: (Int) -> Void
  ) throws(Fault) {
    let fade = stream.frames(Self.stopFade)
    let (taken, rewritten) = try stream.takeBack(rewriting: fade) { index in
      quarterSine(fade - index, of: fade)
    }
    goBack(taken)
    desk.pass(rewritten, stream.clock, now())
  }

  /// Why what plays will not come to its end, if it is late.
  private var ailment: String? {
    let now = now().uptime
    if turns.contains(where: { $0.track.start != nil }), let told = stream?.lastPosition?.uptime,
      now - told > Self.longestSilence
    {
      return Stream.hasStalled
    }
    guard let deadline = turns.map(\.deadline).min(), now > deadline else { return nil }
    if now - taken > Self.patience { return Stream.hasStalled }
    return now > deadline + Self.longestDelay ? "it plays too slowly" : nil
  }

  private func finishIfOver(_ turn: Turn) {
    let track = turn.track
    if let delay = track.tooLateBy { return finish(track, .tooLate(by: delay)) }
    if let why = track.failure { return giveUp(track, why) }
    guard let stream, let end = track.end, let played = stream.lastPosition?.frame,
      played >= Double(end + stream.frames(Self.tail))
    else { return }
    if let reason = track.stopReason {
      let silentAt = stream.clock.uptime(ofFrame: Double(end))
      finish(track, .stopped(reason, silentAt: heard(of: track) == .nothing ? nil : silentAt))
    } else {
      track.measure(stream.clock, played: played, isOver: true)
      finish(
        track, .finished(track.timing(underruns: stream.sink.underruns - turn.underruns)))
    }
  }

  /// Ends what cannot go on. What is queued of it is not to be heard: it goes with the device, or is
  /// taken back where something else sounds.
  private func giveUp(_ track: Track, _ why: String) {
    let heard = heard(of: track)
    turns.removeAll { $0.track === track }
    if isPlaying, let stream, let desk {
      do throws(Fault) {
        let (taken, rewritten) = try stream.takeBack(rewriting: stream.frames(Self.respite))
        desk.goBack(by: taken - rewritten)
        desk.giveUp(track, fadeFrames: stream.frames(Self.stopFade))
        try feed()
      } catch {
        fail(error.description)
      }
    } else {
      isOutdated = true
    }
    finish(track, .failed(why, heard: heard))
  }

  /// How much of the score has left the converter.
  private func heard(of track: Track) -> Outcome.Heard {
    guard let start = track.start, let anchor = track.anchorFrame,
      let position = stream?.lastPosition
    else { return .nothing }
    let left = min(position.frame, Double(track.end ?? .max))
    return left > Double(max(start, anchor)) ? .anchor : left > Double(start) ? .some : .nothing
  }

  private func fail(_ why: String) {
    // What a sleep has torn fails in many ways, should it have come in the middle of the feeding.
    let slept = longPause().flatMap { pause in stream.map { "speaker \($0.sink.name): \(pause)" } }
    let failed = turns.map { ($0.track.sounding, heard: heard(of: $0.track)) }
    // A device that goes while nothing plays is opened anew for the next announcement.
    close()
    for (sounding, heard) in failed { ended(sounding, .failed(slept ?? why, heard: heard)) }
  }

  private func drop(_ track: Track) {
    desk?.remove(track)
    turns.removeAll { $0.track === track }
  }

  private func finish(_ track: Track, _ outcome: Outcome) {
    drop(track)
    if !isPlaying {
      switch settings.keepOpen {
      case _ where isOutdated: close()
      case .always: closing = nil
      case .lasting(let duration):
        closing = now().uptime + duration
        if duration == .zero { close() }
      }
    }
    ended(track.sounding, outcome)
  }

  private func close() {
    turns = []
    desk = nil
    ticks = nil
    stream = nil
    isOutdated = false
  }
}
