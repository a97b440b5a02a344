import Basics
import Devices
import Glibc
import Horology
import Sound

public protocol Ticker {
  associatedtype Ticks: AnyObject

  /// Calls `handler` repeatedly until the returned object is released. Each call comes `interval`
  /// after the last one, or at once if that took longer.
  func every(_ interval: Duration, _ handler: @escaping () -> Void) throws(Fault) -> Ticks
}

/// Plays scores on a sink. The anchor of each leaves the converter at its moment.
///
/// The stream begins with silence. Where a score begins in it is decided as late as possible.
public final class Player {
  /// Length of the fade of a stop, from its first frame at the converter.
  private static let stopFade = Duration.milliseconds(8)
  /// This much queued sound stays as it is while the rest is rendered without the stopped track.
  private static let respite = Duration.milliseconds(4)
  /// Silence after the last sound: a device that reports its position only roughly must not be
  /// closed too early.
  private static let tail = Duration.milliseconds(100)
  /// A device may end this much later than it should.
  private static let patience = Duration.seconds(2)
  /// A device that underruns again and again gets this much longer.
  private static let longestDelay = Duration.seconds(10)
  /// A sound server may take two seconds to begin, or to begin again. A device that takes no frames
  /// for longer than this has stalled.
  private static let longestStall = Duration.seconds(3)
  /// A device that was not fed for this long has run dry: the machine slept, or stood still.
  /// Interrupted sounds are not resumed.
  private static let longestPause = Duration.seconds(1)
  /// How long a device that did not open in time is not tried again: each try holds up the loop for
  /// seconds, and several sounds may be due.
  private static let pauseAfterTimeout = Duration.seconds(5)
  /// A device that fails sooner after the start of a sound has only filled its buffer: nobody heard
  /// the sound, whatever the device says that it has played.
  private static let leastHeard = Duration.milliseconds(250)

  private let ticker: any Ticker
  private let now: () -> Now
  private let makeSink: () -> any Sink
  /// A new gain counts for each sound that is played from now on, so that a ring becomes louder or
  /// softer with its next figure.
  public var settings = Settings()
  /// Called when a sounding has begun, and when its anchor has left the converter; before `ended`.
  public var heard: (SoundingID, Heard) -> Void = { _, _ in }
  /// Called once for each `play` that did not throw.
  public var ended: (SoundingID, Outcome) -> Void = { _, _ in }

  private var stream: Stream?
  private var tracks: [Track] { stream?.mixer.tracks ?? [] }
  private var ticks: AnyObject?
  private var feedInterval = Duration.zero
  private var hasRehearsed = false
  /// True if the device must be opened again for the next sound.
  private var isOutdated = false
  /// When to close the device, while nothing plays; nil for never.
  private var closing: Uptime?
  /// That the device did not open in time, and until when it is not tried again.
  private var timedOut: (fault: Fault, until: Uptime)?
  private var taken = Uptime(nanoseconds: 0)
  /// When the device was last fed, since the machine started, sleep included.
  private var fed = Duration.zero

  public init(
    loop ticker: any Ticker, now: @escaping () -> Now = { SystemClock.now },
    sink: @escaping () -> any Sink
  ) {
    self.ticker = ticker
    self.now = now
    makeSink = sink
  }

  public var isPlaying: Bool { !tracks.isEmpty }

  /// When everything that plays is over, unless the device is late; nil if nothing plays.
  public var endsBy: Uptime? { tracks.map(\.deadline).max() }

  /// When the device last took frames, or when playing began; nil if nothing plays.
  public var lastTaken: Uptime? { isPlaying ? taken : nil }

  /// True while the device is open, even if only silence plays.
  public var isAwake: Bool { stream != nil }

  public func play(
    _ sounding: Sounding, _ compose: (_ rate: Int) throws(Fault) -> Score
  ) throws(Fault) {
    try play(
      sounding.id, anchoredAt: sounding.anchor, decibels: sounding.decibels,
      mayBeLateBy: sounding.mayBeLateBy, ducking: sounding.ducking, compose)
  }

  /// Opens the device and plays the score that `compose` makes for its rate.
  /// - Parameters:
  ///   - decibels: level in dB, on top of the settings' gain.
  ///   - mayBeLateBy: how late the anchor may be; nil for no limit.
  /// - Throws: `Fault` if the device cannot be opened, a sound is missing or damaged, or the
  ///   machine sleeps meanwhile; then the score does not play.
  public func play(
    _ sounding: SoundingID, anchoredAt anchor: Anchor, decibels: Double = 0,
    mayBeLateBy: Duration? = nil, ducking: Ducking = .none,
    _ compose: (_ rate: Int) throws(Fault) -> Score
  ) throws(Fault) {
    let asked = now()
    if !isPlaying && longPause(until: asked) != nil { close() }
    do throws(Fault) {
      let stream = try opened()
      let score = try compose(stream.rate)
      // Half a time is worse than none, so every clip is read once before the first is heard. Other
      // sounds go on meanwhile.
      try score.verify { () throws(Fault) in if isPlaying { try feed() } }
      let slept = self.now().sleep(since: asked)
      if slept > Self.longestPause {
        throw Fault("speaker \(stream.sink.name)", "the machine slept for \(slept.roughly)")
      }
      let length = Duration.seconds(Double(score.frames - score.anchor) / Double(stream.rate))
      let now = self.now()
      if !isPlaying {
        taken = now.uptime
        fed = now.sinceBoot
      }
      let track = Track(
        sounding, score, anchor: anchor, latencyOffset: settings.latencyOffset,
        gain: settings.gain * Mixer.gain(decibels: decibels), mayBeLateBy: mayBeLateBy,
        ducking: ducking, memory: stream.mixer.memoryOfTracks)
      track.deadline = max(now.uptime(at: anchor), now.uptime) + length + Self.patience
      track.underrunsBefore = stream.sink.underruns
      stream.mixer.add(track)
      do throws(Fault) {
        try feed()
      } catch {
        stream.mixer.remove(track)
        throw error
      }
    } catch {
      if !isPlaying { close() }
      throw error
    }
  }

  public func stop(_ soundings: [SoundingID], _ reason: StopReason) {
    let stopped = tracks.filter {
      soundings.contains($0.sounding) && $0.stopReason == nil
    }
    let begun = stopped.filter { $0.start != nil }
    if let stream, !begun.isEmpty {
      let mixer = stream.mixer
      let fade = stream.frames(Self.stopFade)
      do throws(Fault) {
        if mixer.sounds(besides: begun) {
          // Other sounds go on unchanged meanwhile.
          let respite = stream.frames(Self.respite)
          let (taken, rewritten) = try stream.takeBack(rewriting: respite)
          mixer.goBack(by: taken - rewritten)
          mixer.stop(begun, reason, fadeFrames: fade)
        } else {
          try fadeWhatIsQueued(stream, now()) { mixer.stop(begun, reason, fadeFrames: fade) }
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

  /// Closes the device, at once or when everything that plays on it is over. The next opening is not
  /// put off.
  public func closeWhenIdle() {
    timedOut = nil
    if isPlaying { isOutdated = true } else { close() }
  }

  private func opened() throws(Fault) -> Stream {
    if let stream { return stream }
    if let timedOut, now().uptime < timedOut.until { throw timedOut.fault }
    do throws(Fault) {
      let opened = try Stream(makeSink())
      stream = opened
      hasRehearsed = false
      try feedInTime(opened.sink)
      return opened
    } catch {
      if error.code == ETIMEDOUT { timedOut = (error, now().uptime + Self.pauseAfterTimeout) }
      throw error
    }
  }

  /// Feeds as often as the device wants now: one that takes nothing back holds less.
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
    } else if let why = tracks.lazy.compactMap(\.failure).first {
      // Its queued frames must not be heard, so the device is closed for all.
      fail(why)
    } else {
      for track in tracks { tellHeard(track) }
      for track in tracks where tracks.contains(where: { $0 === track }) { finishIfOver(track) }
    }
  }

  /// Why the device was not fed for too long; nil if it was fed in time.
  private func longPause(until now: Now) -> String? {
    let pause = now.sinceBoot - fed
    guard pause > Self.longestPause else { return nil }
    return "the machine slept, or stood still, for \(pause.roughly)"
  }

  private func feed() throws(Fault) {
    guard let stream else { return }
    let now = now()
    if let longPause = longPause(until: now) {
      throw Fault("speaker \(stream.sink.name)", longPause)
    }
    fed = now.sinceBoot
    try rehearse(stream, now)
    let written = stream.written
    try stream.feed(now)
    try feedInTime(stream.sink)
    if stream.written > written { taken = now.uptime }
    if let position = stream.lastPosition {
      for track in tracks { track.measure(stream.clock, played: position.frame) }
    }
  }

  /// Stops the silence at the start of the stream, as a rehearsal. The first stop has to load pages
  /// from the disk, which takes longer than the sound that the converter still has.
  private func rehearse(_ stream: Stream, _ now: Now) throws(Fault) {
    guard !hasRehearsed, stream.written > 0, tracks.allSatisfy({ $0.start == nil }) else { return }
    hasRehearsed = true
    try fadeWhatIsQueued(stream, now) {}
  }

  /// Fades out the queued sound, before anything is calculated.
  /// - Parameter stop: changes what is rendered from the first faded frame on.
  private func fadeWhatIsQueued(
    _ stream: Stream, _ now: @autoclosure () -> Now, _ stop: () -> Void
  ) throws(Fault) {
    let fade = stream.frames(Self.stopFade)
    let (taken, rewritten) = try stream.takeBack(rewriting: fade) { index in
      quarterSine(fade - index, of: fade)
    }
    stream.mixer.goBack(by: taken)
    stop()
    stream.mixer.pass(rewritten, stream.clock, now())
  }

  /// Why the sounds that play are late and will not end; nil if there is no reason.
  private var ailment: String? {
    let now = now().uptime
    if now - taken > Self.longestStall { return "it has stopped taking sound" }
    guard let deadline = tracks.map(\.deadline).min() else { return nil }
    return now > deadline + Self.longestDelay ? "it plays too slowly" : nil
  }

  private func tellHeard(_ track: Track) {
    let now = heard(of: track)
    // A device may estimate its position, and so go back a little.
    guard now > track.told else { return }
    track.told = now
    heard(track.sounding, now)
  }

  private func finishIfOver(_ track: Track) {
    if let delay = track.tooLateBy { return finish(track, .tooLate(by: delay)) }
    guard let stream, let end = track.end, let played = stream.lastPosition?.frame,
      played >= Double(end + stream.frames(Self.tail))
    else { return }
    if let reason = track.stopReason {
      let silentAt = stream.clock.uptime(ofFrame: Double(end))
      finish(track, .stopped(reason, silentAt: heard(of: track) == .nothing ? nil : silentAt))
    } else {
      track.measure(stream.clock, played: played, isOver: true)
      let underruns = stream.sink.underruns - track.underrunsBefore
      finish(track, .finished(track.timing(underruns: underruns)))
    }
  }

  /// How much of the score has left the converter, not counting the last `doubtful`.
  private func heard(of track: Track, doubtful: Duration = .zero) -> Heard {
    guard let start = track.start, let anchor = track.anchorFrame,
      let stream, let position = stream.lastPosition
    else { return .nothing }
    let left = min(
      position.frame - Double(stream.frames(doubtful)), Double(track.end ?? .max))
    return left > Double(max(start, anchor)) ? .anchor : left > Double(start) ? .begun : .nothing
  }

  private func fail(_ why: String) {
    // A sleep during the feeding can fail in many ways: then report the sleep.
    let slept = longPause(until: now()).flatMap { pause in
      stream.map { "speaker \($0.sink.name): \(pause)" }
    }
    let failed = tracks.map { ($0.sounding, heard: heard(of: $0, doubtful: Self.leastHeard)) }
    // If the device is lost while nothing plays, the next announcement opens it again.
    close()
    for (sounding, heard) in failed { ended(sounding, .failed(slept ?? why, heard: heard)) }
  }

  private func finish(_ track: Track, _ outcome: Outcome) {
    stream?.mixer.remove(track)
    if !isPlaying {
      closing = settings.keepOpen.map { now().uptime + $0 }
      if isOutdated || settings.keepOpen == .zero { close() }
    }
    ended(track.sounding, outcome)
  }

  /// Closes the device at once, before an end is told: what is played next may have to open it.
  private func close() {
    ticks = nil
    stream?.sink.close()
    stream = nil
    isOutdated = false
  }
}

extension Player {
  public struct Settings: Hashable, Sendable {
    /// How much earlier than its instant an anchor leaves the converter.
    public var latencyOffset = Duration.zero
    /// 1 if a control of the card sets the volume.
    public var gain: Float = 1
    /// How long the device stays open after the last sound; nil for always.
    public var keepOpen: Duration? = .zero

    public init() {}
  }
}
