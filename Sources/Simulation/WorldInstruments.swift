import Basics
import Horology
import Service

extension World: Instruments {
  var now: Now {
    look(at: machine.moment)
    return machine.now
  }

  /// The oracle sees what the service sees.
  func look(at moment: Moment) {
    if machine.isWakeUpLost { oracle.disturbed(.service, moment) }
    oracle.looked(
      moment, uptime: machine.uptime, isBusy: turn != nil,
      hasBegun: turn.map { $0.target != nil } ?? true)
  }

  var isPlaying: Bool { turn != nil }

  func isWaiting(_ sounding: SoundingID) -> Bool {
    turn.map { $0.announcement.id == sounding && $0.target == nil } ?? false
  }

  /// As `ClockWatch` does it.
  func judgeClock() -> ClockTrust {
    let now = machine.now
    let kernel = machine.clock.kernel(machine)
    if turn == nil, judge.isReadingDue(at: now) {
      _ = judge.take(machine.clock.reading(machine), kernel: kernel, at: now)
    }
    _ = judge.judge(kernel, at: now)
    let trust = sabotage == .clockAlwaysTrusted ? .synchronised : judge.state.trust
    oracle.judged(trust, machine.clock.facts(machine), machine.moment)
    return trust
  }

  func play(_ sounding: Sounding) throws(Fault) {
    if case .announcement(let announcement) = sounding { try play(announcement) }
  }

  private func play(_ announcement: Announcement) throws(Fault) {
    let elapsed = machine.moment.elapsed
    if isSwallowed(announcement) {
      // The Announcer takes it for stopped; what it reports of that is changed.
      return handle(.ended(announcement.id, .stopped(.byHand, silentAt: nil)))
    }
    if turn != nil { oracle.violated(.overlap, "it plays while it plays", machine.moment) }
    oracle.plays(announcement, machine.moment)
    note("plays \(announcement.inShort)")
    if sabotage == .occasionsDropped, announcement.anchor.nanoseconds / minute % 10 == 0 { return }
    guard machine.busy.length(at: elapsed) == nil else {
      oracle.disturbed(.speaker, machine.moment)
      ends(announcement, .failed(.nothing))
      if sabotage == .failuresSwallowed { return }
      throw Fault("the speaker", "it is busy")
    }
    let slow = machine.slow.length(at: elapsed)
    let sinceBoot = machine.sinceBoot - machine.uptime
    hold(slow ?? machine.whim(200 * millisecond))
    let slept = machine.sinceBoot - machine.uptime - sinceBoot
    if let slow, slow > second { oracle.disturbed(.speaker, machine.moment) }
    guard slept <= second else {
      oracle.disturbed(.speaker, machine.moment)
      ends(announcement, .failed(.nothing))
      throw Fault("the speaker", Self.stoodStill)
    }
    let queue = machine.queued.length(at: elapsed)
    if queue != nil { oracle.disturbed(.speaker, machine.moment) }
    let phrase = 1200 * millisecond + machine.whim(2 * second)
    turn = Turn(
      sabotaged(announcement), phrase: phrase, queue: queue ?? 100 * millisecond,
      uncorrected: sabotage == .driftUncorrected ? machine.paceMillionths : 0)
    turn?.decide(machine)
    look(at: machine.moment)
    oracle.opened()
  }

  func stop(_ soundings: [SoundingID], _ reason: StopReason) {
    for sounding in soundings { stop(sounding, reason) }
  }

  private func stop(_ sounding: SoundingID, _ reason: StopReason) {
    oracle.stops(sounding, reason, machine.moment)
    guard turn?.announcement.id == sounding, sabotage != .stopsUnheard else { return }
    let late = machine.late.length(at: machine.moment.elapsed) ?? 0
    note("stops \(sounding.number): \(reason)")
    turn?.stop(reason, late: late, machine)
    // What had not begun is told at once.
    if let turn, turn.target == nil, turn.isStopped, let verdict = turn.verdict {
      self.turn = nil
      ends(turn.announcement, Fate(verdict.outcome))
      handle(.ended(sounding, verdict.outcome))
    }
  }

  /// The service is told of it at once, by the clock as it is now.
  func ends(_ announcement: Announcement, _ fate: Fate) {
    look(at: machine.moment)
    if case .failed = fate { lastFailure = announcement.occasion }
    oracle.finished(announcement, fate, machine.moment)
  }

  func wake(at instant: Instant) -> Bool {
    // Once it is to end, there is no timer.
    guard machine.stopping == nil else { return true }
    machine.wakeUp = instant.nanoseconds + (sabotage == .wakeUpTooFar ? 4 * hour : 0)
    machine.isWakeUpLost = false
    defer { machine.wasSet = false }
    return !machine.wasSet
  }

  func tell(_ report: Report) {
    oracle.isBusy = oracle.isBusy || turn != nil
    for report in sabotaged(report) {
      oracle.told(report, machine.moment)
      note(report.inShort)
    }
  }

  func rest() {
    if forgetsDecisions { forgetDecisions() }
    save()
    let ailment = machine.stopping == nil ? vitals.ailment(at: machine.now) : nil
    oracle.rested(
      wakeUp: machine.wakeUp, ailment: ailment?.description, isBusy: turn != nil,
      isEnding: machine.stopping != nil, machine.moment)
  }
}

extension Fate {
  /// What the speaker tells the service, in the words of the oracle.
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
