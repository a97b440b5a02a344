import Basics
import Horology
import Service

extension World: Instruments {
  var now: Now { machine.now }

  var isPlaying: Bool { !tracks.isEmpty }

  /// The speaker has an announcement.
  var isAnnouncing: Bool { tracks.contains { $0.sounding.announcement != nil } }

  /// As `ClockWatch` does it.
  func judgeClock() -> ClockTrust {
    let now = machine.now
    let kernel = machine.clock.kernel(machine.moment)
    if !isPlaying, clockJudge.isReadingDue(at: now) {
      _ = clockJudge.judge(
        machine.clock.reading(machine.moment, error: machine.error), kernel: kernel, at: now)
    }
    _ = clockJudge.judge(kernel, at: now)
    let trust = sabotage == .clockAlwaysTrusted ? .synchronised : clockJudge.state.trust
    see(
      .judged(
        trust, isSynchronised: machine.clock.isSynchronised(machine.moment),
        wasSynchronised: machine.clock.wasSynchronised, hasRTC: machine.clock.hasRTC))
    return trust
  }

  func play(_ sounding: Sounding) throws(Fault) {
    switch sounding {
    case .announcement(let announcement): try play(announcement)
    case .cue(let cue): try play(cue)
    }
  }

  private func play(_ announcement: Announcement) throws(Fault) {
    if isDropped(announcement) { return handle(.ended(announcement.id, .finished(.exact))) }
    record("plays \(announcement.inShort)")
    if sabotage == .occasionsDropped, announcement.anchor.nanoseconds / minute % 10 == 0 { return }
    do throws(Fault) {
      let queue = try openSpeaker()
      // Up to the longest phrase that a voice may have.
      let phrase = 1200 * millisecond + machine.whim(3800 * millisecond)
      begin(
        Track(
          .announcement(sabotaged(announcement)), phrase: phrase, queue: queue, machine.moment,
          uncorrected: sabotage == .driftUncorrected ? machine.paceMillionths : 0))
    } catch {
      if sabotage != .failuresSwallowed { throw error }
    }
  }

  private func play(_ cue: Cue) throws(Fault) {
    if isDropped(cue) { return handle(.ended(cue.id, .finished(.exact))) }
    record("cues \(cue.id.number): \(cue.signal) of \(cue.source)")
    let queue = try openSpeaker()
    begin(Track(.cue(sabotaged(cue)), phrase: 0, queue: queue, machine.moment))
  }

  private func begin(_ track: Track) {
    tracks.append(track)
    tracks[tracks.endIndex - 1].decide(machine.moment)
  }

  /// Opens the speaker, unless it is open.
  /// - Returns: how long a queued sound takes to be heard.
  private func openSpeaker() throws(Fault) -> Int64 {
    let elapsed = machine.moment.elapsed
    if !isPlaying {
      guard machine.busy.length(at: elapsed) == nil else {
        see(.disturbed(.speaker))
        throw Fault("the speaker", "it is busy")
      }
      let slow = machine.slow.length(at: elapsed)
      let sinceBoot = machine.moment.sinceBoot - machine.uptime
      hold(slow ?? machine.whim(200 * millisecond))
      let slept = machine.moment.sinceBoot - machine.uptime - sinceBoot
      guard slept <= second else { throw Fault("the speaker", Self.stoodStill) }
    }
    // What leaves the converter earlier must be queued earlier.
    let queue = machine.queued.length(at: elapsed) ?? 100 * millisecond
    return queue + max(machine.settings.latencyOffset.nanoseconds, 0)
  }

  func stop(_ soundings: [SoundingID], _ reason: StopReason) {
    for sounding in soundings { stop(sounding, reason) }
  }

  private func stop(_ sounding: SoundingID, _ reason: StopReason) {
    guard let index = tracks.firstIndex(where: { $0.sounding.id == sounding }),
      stopReaches(tracks[index])
    else { return }
    let late = machine.late.length(at: machine.moment.elapsed) ?? 0
    record("stops \(sounding.number): \(reason)")
    tracks[index].stop(reason, late: late, machine.moment)
    // The end of a sounding that had not begun is reported at once.
    if tracks[index].target == nil, tracks[index].isStopped { end(tracks.remove(at: index)) }
  }

  /// Tells the service what became of a track.
  func end(_ track: Track) {
    guard let outcome = track.verdict?.outcome else { return }
    switch outcome {
    case .failed, .tooLate: see(.disturbed(.speaker))
    case .finished, .stopped: break
    }
    record("ended \(track.sounding.id.number)")
    handle(.ended(track.sounding.id, outcome))
  }

  func wake(at instant: Instant) -> Bool {
    // A service that is stopping has no timer.
    guard machine.stopping == nil else { return true }
    machine.wakeUp = instant.nanoseconds + (sabotage == .wakeUpTooFar ? 4 * hour : 0)
    machine.isWakeUpLost = false
    defer { machine.wasSet = false }
    return !machine.wasSet
  }

  func report(_ report: Report) {
    guard let report = sabotaged(report) else { return }
    see(.told(report))
    record(report.inShort)
  }

  /// Nothing is saved while something is said.
  func rest() {
    let isSaved = !isAnnouncing && conductor != nil
    if isSaved { save() }
    see(.rested(isSaved: isSaved))
  }
}
