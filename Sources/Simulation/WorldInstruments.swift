import Basics
import Horology
import Service

extension World: Instruments {
  var now: Now { moment.now }

  var isPlaying: Bool { !playbacks.isEmpty }

  /// As `ClockWatch` does it.
  func judgeClock() -> ClockTrust {
    let now = moment.now
    let kernel = machine.clock.kernel(moment)
    if !isPlaying, clockJudge.isReadingDue(at: now) {
      _ = clockJudge.judge(machine.clock.reading(moment), kernel: kernel, at: now)
    }
    _ = clockJudge.judge(kernel, at: now)
    let trust = sabotage == .clockAlwaysTrusted ? .synchronised : clockJudge.state.trust
    see(.judged(trust, machine.clock))
    return trust
  }

  func play(_ sounding: Sounding) throws(Fault) {
    if isDropped(sounding) { return handle(.ended(sounding.id, .finished(.exact))) }
    record("  plays \(sounding.inShort)")
    let queue = try openSpeaker()
    // Up to the longest phrase that a voice may have.
    let phrase = 1200 * millisecond + moment.whim(3800 * millisecond)
    var playback = Playback(
      sabotaged(sounding), phrase: phrase, queue: queue, late: lateness(of: sounding), moment)
    playback.decide(moment)
    playbacks.append(playback)
  }

  /// Opens the speaker, unless it is open.
  /// - Returns: how long a queued sound takes to be heard.
  private func openSpeaker() throws(Fault) -> Int64 {
    let opened = moment
    if !isPlaying {
      guard moment.elapsed >= machine.busyUntil else {
        see(.disturbed(.speaker))
        throw Fault("the speaker", "it is busy")
      }
      let isSlow = moment.elapsed < machine.slow.until
      hold(isSlow ? machine.slow.length : moment.whim(200 * millisecond))
      let slept = moment.sinceBoot - opened.sinceBoot - (uptime - opened.uptime)
      guard slept <= second else { throw Fault("the speaker", Self.stoodStill) }
    }
    // What leaves the converter earlier must be queued earlier.
    return 100 * millisecond + max(machine.settings.latencyOffset.nanoseconds, 0)
  }

  func stop(_ soundings: [SoundingID], _ reason: StopReason) {
    for sounding in soundings {
      guard let index = playbacks.firstIndex(where: { $0.sounding.id == sounding }),
        stopReaches(playbacks[index])
      else { continue }
      record("  stops \(sounding.number): \(reason)")
      playbacks[index].stop(reason, moment)
      // The end of a sounding that had not begun is reported at once.
      if playbacks[index].target == nil, playbacks[index].isStopped {
        end(playbacks.remove(at: index))
      }
    }
  }

  func end(_ playback: Playback) {
    guard let outcome = playback.verdict?.outcome else { return }
    switch outcome {
    case .failed, .tooLate: see(.disturbed(.speaker))
    case .finished, .stopped: break
    }
    record("  ended \(playback.sounding.id.number)")
    handle(.ended(playback.sounding.id, outcome))
  }

  func wake(at instant: Instant) -> Bool {
    // A service that is stopping has no timer.
    guard machine.stopping == nil else { return true }
    machine.wakeUp = instant.nanoseconds
    defer { machine.wasSet = false }
    return !machine.wasSet
  }

  func report(_ report: Report) {
    if sabotage == .refusalsUntold, case .refused = report { return }
    see(.told(report))
    record("  \(report.inShort)")
  }

  /// Nothing is saved while something is said.
  func rest() {
    let isSaved = playbacks.allSatisfy { $0.sounding.announcement == nil }
    if isSaved { save() }
    see(.rested(isSaved: isSaved))
  }
}
