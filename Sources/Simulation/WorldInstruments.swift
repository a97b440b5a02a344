import Basics
import Horology
import Service

extension World: Instruments {
  var now: Now {
    look(at: machine.moment)
    oracle.decides(machine.moment, uptime: machine.uptime)
    if sabotage == .alarmsTwice { sabotageLooks() }
    return machine.now
  }

  /// The oracle sees what the service sees.
  func look(at moment: Moment) {
    if machine.isWakeUpLost { oracle.disturbed(.service, moment) }
    oracle.looked(
      moment, uptime: machine.uptime, isBusy: isAnnouncing,
      hasBegun: !turns.contains { $0.hasTurn && $0.target == nil })
  }

  var isPlaying: Bool { !turns.isEmpty }

  /// The speaker has an announcement.
  var isAnnouncing: Bool { turns.contains { $0.hasTurn } }

  func isWaiting(_ sounding: SoundingID) -> Bool {
    turns.contains { $0.id == sounding && $0.target == nil }
  }

  /// As `ClockWatch` does it.
  func judgeClock() -> ClockTrust {
    let now = machine.now
    let kernel = machine.clock.kernel(machine)
    if !isPlaying, judge.isReadingDue(at: now) {
      _ = judge.take(machine.clock.reading(machine), kernel: kernel, at: now)
    }
    _ = judge.judge(kernel, at: now)
    let trust = sabotage == .clockAlwaysTrusted ? .synchronised : judge.state.trust
    oracle.judged(trust, machine.clock.facts(machine), machine.moment)
    return trust
  }

  func play(_ sounding: Sounding) throws(Fault) {
    switch sounding {
    case .announcement(let announcement): try play(announcement)
    case .cue(let cue): try play(cue)
    }
  }

  private func play(_ announcement: Announcement) throws(Fault) {
    if isSwallowed(announcement) {
      // The Announcer takes it for stopped; its report of that is changed.
      return handle(.ended(announcement.id, .stopped(.byHand, silentAt: nil)))
    }
    if isDropped(announcement) { return handle(.ended(announcement.id, .finished(.exact))) }
    if isAnnouncing { oracle.violated(.overlap, "it plays while it plays", machine.moment) }
    oracle.plays(announcement, machine.moment)
    note("plays \(announcement.inShort)")
    if sabotage == .occasionsDropped, announcement.anchor.nanoseconds / minute % 10 == 0 { return }
    let queue: Int64
    do throws(Fault) {
      queue = try openSpeaker()
    } catch {
      ends(announcement, .failed(.nothing))
      if sabotage == .failuresSwallowed { return }
      throw error
    }
    let phrase = 1200 * millisecond + machine.whim(2 * second)
    begin(
      Turn(
        sabotaged(announcement), phrase: phrase, queue: queue,
        uncorrected: sabotage == .driftUncorrected ? machine.paceMillionths : 0))
    look(at: machine.moment)
    oracle.opened()
  }

  private func play(_ cue: Cue) throws(Fault) {
    if isDropped(cue) { return handle(.ended(cue.id, .finished(.exact))) }
    if sabotage == .stoppedTooEarly, cue.id.number % 10 == 0 { stop([cue.id], .byHand) }
    note("cues \(cue.inShort)")
    oracle.plays(cue, in: cue.anchor.nanoseconds - machine.sinceBoot, machine.moment)
    do throws(Fault) {
      begin(Turn(sabotaged(cue), queue: try openSpeaker(), machine))
    } catch {
      oracle.timers.sounding[cue.id] = nil
      throw error
    }
  }

  private func begin(_ turn: Turn) {
    turns.append(turn)
    turns[turns.endIndex - 1].decide(machine)
  }

  /// Opens the speaker, unless it is open.
  /// - Returns: how long a queued sound takes to be heard.
  private func openSpeaker() throws(Fault) -> Int64 {
    let elapsed = machine.moment.elapsed
    if !isPlaying {
      guard machine.busy.length(at: elapsed) == nil else {
        oracle.disturbed(.speaker, machine.moment)
        throw Fault("the speaker", "it is busy")
      }
      let slow = machine.slow.length(at: elapsed)
      let sinceBoot = machine.sinceBoot - machine.uptime
      hold(slow ?? machine.whim(200 * millisecond))
      let slept = machine.sinceBoot - machine.uptime - sinceBoot
      if let slow, slow > second { oracle.disturbed(.speaker, machine.moment) }
      guard slept <= second else {
        oracle.disturbed(.speaker, machine.moment)
        throw Fault("the speaker", Self.stoodStill)
      }
    }
    let queue = machine.queued.length(at: elapsed)
    if queue != nil { oracle.disturbed(.speaker, machine.moment) }
    return queue ?? 100 * millisecond
  }

  func stop(_ soundings: [SoundingID], _ reason: StopReason) {
    for sounding in soundings { stop(sounding, reason) }
  }

  private func stop(_ sounding: SoundingID, _ reason: StopReason) {
    oracle.stops(sounding, reason, machine.moment)
    guard let index = turns.firstIndex(where: { $0.id == sounding }), stopReaches(turns[index])
    else { return }
    let late = machine.late.length(at: machine.moment.elapsed) ?? 0
    note("stops \(sounding.number): \(reason)")
    turns[index].stop(reason, late: late, machine)
    // The end of a sounding that had not begun is reported at once.
    if turns[index].target == nil, turns[index].isStopped { end(turns.remove(at: index)) }
  }

  /// Tells the service what became of a turn.
  func end(_ turn: Turn) {
    guard let outcome = turn.verdict?.outcome else { return }
    if let announcement = turn.announcement { ends(announcement, Fate(outcome)) }
    switch outcome {
    case .failed, .tooLate:
      oracle.disturbed(.speaker, machine.moment)
      oracle.timers.failed(turn.id)
    case .finished, .stopped: break
    }
    note("ended \(turn.id.number)")
    oracle.timers.sounding[turn.id] = nil
    handle(.ended(turn.id, outcome))
  }

  /// Tells the oracle how an announcement ended. The service is told at once, by the clock as it is
  /// now.
  func ends(_ announcement: Announcement, _ fate: Fate) {
    look(at: machine.moment)
    if case .failed = fate { lastFailure = announcement.occasion }
    oracle.finished(announcement, fate, machine.moment)
  }

  func wake(at instant: Instant) -> Bool {
    // A service that is stopping has no timer.
    guard machine.stopping == nil else { return true }
    machine.wakeUp = instant.nanoseconds + (sabotage == .wakeUpTooFar ? 4 * hour : 0)
    machine.isWakeUpLost = false
    defer { machine.wasSet = false }
    return !machine.wasSet
  }

  func tell(_ report: Report) {
    oracle.isBusy = oracle.isBusy || isAnnouncing
    for report in sabotaged(report) {
      oracle.told(report, oracle.decided)
      note(report.inShort)
    }
  }

  func rest() {
    if forgetsDecisions { forgetDecisions() }
    save()
    let ailment = machine.stopping == nil ? vitals.ailment(at: machine.now) : nil
    oracle.rested(
      wakeUp: machine.wakeUp, ailment: ailment?.description, isBusy: isAnnouncing,
      isEnding: machine.stopping != nil, machine.moment)
  }
}

extension Fate {
  /// The speaker's outcome as the oracle's type.
  init(_ outcome: Outcome) {
    self =
      switch outcome {
      case .finished: .whole
      case .stopped(let reason, let silentAt): .stopped(reason, isHeard: silentAt != nil)
      case .tooLate(let delay): .tooLate(delay.nanoseconds)
      case .failed(_, let heard): .failed(heard)
      }
  }
}
