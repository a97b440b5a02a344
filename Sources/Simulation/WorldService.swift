import Horology
import Service

/// The service, from its start to its end, and the events that its loop serves.
extension World {
  /// Starts the service as `Clocksmith` does, with the state saved on disk.
  func startService() {
    (machine.starts, machine.stopping) = (nil, nil)
    record("  starts")
    see(.started)
    clockJudge = ClockJudge()
    let saved = sabotage == .remindersLost ? SavedState() : machine.saved
    let conductor = Conductor(
      saved.announcer(
        settings, in: use(machine.zone), trust: judgeClock(), boot: "\(machine.boot)",
        at: moment.now))
    conductor.instruments = self
    self.conductor = conductor
    list()
    readSwitch()
    handle(.switched(machine.switchState, at: moment.now.uptime))
    if machine.servedBoot < machine.boot { handle(.machineStarted) }
    machine.servedBoot = machine.boot
  }

  private func list() { see(.listed(conductor?.announcer.reminders.all ?? [])) }

  func endService(after gap: Int64, isKilled: Bool) {
    record("  ends")
    (playbacks, conductor) = ([], nil)
    (machine.wakeUp, machine.wasSet, machine.judges) = (nil, false, nil)
    (machine.inbox, machine.starts) = ([], uptime + gap)
    see(.ended(isKilled: isKilled))
  }

  func handle(_ event: Event) { conductor?.handle(event) }

  func serve(_ note: Machine.Note) {
    switch note {
    case .tick: tick()
    case .clockSet:
      // The timer reports a step once, unless arming it has already shown the step.
      guard machine.wasSet else { return }
      machine.wasSet = false
      machine.wakeUp = nil
      handle(.woke)
    case .switched(let uptime):
      let before = machine.switchState
      readSwitch()
      guard machine.switchState != before else { return }
      handle(.switched(machine.switchState, at: Uptime(nanoseconds: uptime)))
    case .incident(let kind): carryOut(kind)
    }
  }

  private func carryOut(_ kind: Incident.Kind) {
    switch kind {
    case .stall(let span): hold(span)
    case .order(let event): order(event)
    case .muteFor(let span): order(.mute(.until(now.instant + .nanoseconds(span))))
    case .ask(let ahead):
      let instant = ahead.map { now.instant + .nanoseconds($0) }
      order(.asked(at: instant, speakerIsAwake: moment.whim(1) == 0))
    case .zone(let name):
      settleClock()
      handle(.zoneChanged(change(zone: name)))
    case .reload(let seed):
      var chance = Chance(seed: seed)
      machine.settings.change(&chance)
      settleClock()
      see(.took(machine.settings))
      handle(.reloaded(settings))
      list()
    case .restart(let gap): stop(startingAfter: gap)
    default: break
    }
  }

  private func order(_ order: Event) {
    guard let conductor else { return }
    settleClock()
    see(.ordered(order))
    if sabotage == .muteIgnored, case .mute = order { return }
    let answer = conductor.answer(to: order)
    if case .asked(_, let instant, _) = order, case .announcement(let promised) = answer {
      see(.promised(promised, at: instant))
    }
  }

  /// The service decides what follows from the clock before it takes in an order. The judge must
  /// see it in that order.
  func settleClock() {
    if let conductor, judgeClock() != conductor.announcer.rules.trust { handle(.woke) }
  }

  private func stop(startingAfter gap: Int64) {
    guard machine.stopping == nil else { return }
    settleClock()
    see(.stopping)
    machine.stopping = gap
    machine.wakeUp = nil
    machine.judges = nil
    if isPlaying { handle(.stop(.serviceEnds)) }
    endIfSilent()
  }

  private func endIfSilent() {
    guard let gap = machine.stopping, !isPlaying else { return }
    save()
    endService(after: gap, isKilled: false)
  }

  func save() {
    if let conductor { machine.saved.update(from: conductor.announcer, boot: "\(machine.boot)") }
  }

  private func readSwitch() {
    machine.switchState = machine.contact
    see(.read(machine.switchState))
  }

  func tick() {
    for index in playbacks.indices { playbacks[index].decide(moment) }
    hear(through: uptime)
    for id in playbacks.map(\.sounding.id) {
      guard let index = playbacks.firstIndex(where: { $0.sounding.id == id }) else { continue }
      if let heard = playbacks[index].news(moment) { handle(.heard(id, heard)) }
    }
    while let index = playbacks.firstIndex(where: { ($0.verdict?.at ?? .max) <= uptime }) {
      let over = playbacks.remove(at: index)
      if let again = playedAgain(over) { playbacks.append(again) } else { end(over) }
    }
    endIfSilent()
  }
}
