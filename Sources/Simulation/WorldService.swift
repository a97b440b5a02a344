import Horology
import Service

/// The service, from its start to its end, and the events that its loop serves.
extension World {
  /// Starts the service as `Clocksmith` does, with the state saved on disk.
  func startService() {
    machine.starts = nil
    machine.stopping = nil
    record("starts")
    let now = machine.now
    let saved = sabotaged(machine.saved)
    see(.started(machine.saved.timers + machine.saved.alarms))
    clockJudge = ClockJudge()
    let announcer = Announcer(
      settings: settings, zone: faces.use(machine.zone), trust: judgeClock(),
      mute: saved.mute,
      muteEndsSinceBoot: saved.boot == machine.boot ? saved.end : nil,
      reminders: Reminders(
        saved.timers + saved.alarms, isSameBoot: saved.boot == machine.boot, at: now),
      interval: saved.interval?.started(isSameBoot: saved.boot == machine.boot, at: now), at: now)
    let conductor = Conductor(announcer)
    conductor.instruments = self
    self.conductor = conductor
    machine.unread = []
    let switchState = openContact()
    machine.switchState = switchState
    see(.read(switchState))
    handle(.switched(switchState, at: machine.now.uptime))
    if machine.servedBoot < machine.boot || sabotage == .startsAgain { handle(.machineStarted) }
    machine.servedBoot = machine.boot
  }

  /// The service ends at once, whatever it does.
  func endService(after gap: Int64, isKilled: Bool) {
    record("ends")
    tracks = []
    conductor = nil
    machine.wakeUp = nil
    machine.isWakeUpLost = false
    machine.wasSet = false
    machine.pulse = nil
    machine.inbox = []
    machine.contact = nil
    machine.starts = machine.uptime + gap
    see(.ended(isKilled: isKilled))
  }

  func handle(_ event: Event) {
    if let event = sabotaged(event) { conductor?.handle(event) }
  }

  func serve(_ note: Machine.Note) {
    switch note {
    case .tick: tick()
    case .clockSet:
      // The timer reports a step once, unless arming it has already shown the step.
      guard machine.wasSet else { return }
      machine.wasSet = false
      machine.wakeUp = nil
      handle(.woke)
    case .edges: readContact()
    case .switchLost: loseContact()
    case .stall(let span): hold(span)
    case .incident(let kind): carryOut(kind)
    }
  }

  /// An order of a person, or of the system.
  private func carryOut(_ kind: Incident.Kind) {
    switch kind {
    case .muteFor(let span): order(.mute(.until(machine.now.instant + .nanoseconds(span))))
    case .mute(let mute): order(.mute(mute))
    case .stopByHand: order(.stop(.byHand))
    case .holdButton: order(.held)
    case .press(let isAwake): order(.pressed(speakerIsAwake: isAwake))
    case .reminder(let order): self.order(.reminder(order))
    case .interval(let order): self.order(.interval(order))
    case .ask(let isAwake): order(.asked(speakerIsAwake: isAwake))
    case .askFor(let time): order(.asked(CivilTime(time), speakerIsAwake: false))
    case .askAhead(let ahead):
      order(.asked(at: machine.now.instant + .nanoseconds(ahead), speakerIsAwake: false))
    case .zone(let name):
      settleClock()
      machine.zone = name
      let zone = faces.use(name)
      see(.tookZone(faces.face(name)))
      handle(.zoneChanged(zone))
    case .reload(let seed): reload(seed)
    case .restart(let gap): stop(startingAfter: gap)
    case .powerCut(let span, let behind): cutPower(span, clockIsBehind: behind)
    default: break
    }
  }

  /// Somebody gives an order, and gets an answer.
  private func order(_ order: Event) {
    guard let conductor else { return }
    settleClock()
    see(.ordered(order))
    guard let order = sabotaged(order) else { return }
    let answer = conductor.answer(to: order)
    if case .asked(let time, let instant, _) = order, case .announcement(let promised) = answer {
      see(.promised(time, at: instant, promised))
    }
  }

  private func reload(_ seed: UInt64) {
    var chance = Chance(seed: seed)
    machine.settings.change(&chance)
    settleClock()
    // The lines are requested anew, and their level is read. The new rules decide what it silences.
    machine.unread = []
    let switchState = openContact()
    machine.switchState = switchState
    see(.took(machine.settings))
    see(.read(switchState))
    handle(.reloaded(settings, switchState))
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
    machine.pulse = nil
    guard isPlaying else { return endGracefully() }
    handle(.stop(.serviceEnds))
    endIfSilent()
  }

  private func endIfSilent() {
    if machine.stopping != nil, !isPlaying { endGracefully() }
  }

  private func endGracefully() {
    guard let gap = machine.stopping else { return }
    save()
    endService(after: gap, isKilled: false)
  }

  /// As `SavedState` does: in microseconds.
  func save() {
    guard let announcer = conductor?.announcer else { return }
    var mute = announcer.rules.mute
    if case .until(let end) = mute {
      mute = .until(Instant(nanoseconds: end.nanoseconds / 1000 * 1000))
    }
    let end = announcer.muteEndsSinceBoot.map { Duration.microseconds($0.nanoseconds / 1000) }
    machine.saved = Machine.Saved(
      mute: mute, end: end, timers: announcer.reminders.timers, interval: announcer.interval,
      alarms: announcer.reminders.alarms, boot: machine.boot)
  }

  // MARK: The switch

  /// - Returns: the switch as it is read.
  private func openContact() -> SwitchState {
    machine.contact =
      machine.isSwitchLost
      ? nil : Contact(isActive: machine.isActive)
    return machine.isSwitchLost ? .lost("gone") : machine.isActive ? .off : .on
  }

  private func takeContact() { become(openContact(), at: machine.uptime) }

  /// Reads the edges that have come, as `ContactWatch` does, or looks again at a level.
  func readContact() {
    guard machine.contact != nil, !machine.isSwitchLost else {
      lateMute = nil
      // Edges may have come before it was lost. Reading them now shows the loss.
      if machine.isSwitchLost { loseContact() } else { takeContact() }
      return
    }
    var changedAt = machine.uptime
    let now = Uptime(nanoseconds: machine.uptime)
    for edge in machine.unread {
      let before = machine.contact!.isActive
      machine.contact!.read(isActive: edge.isActive, at: Uptime(nanoseconds: edge.uptime))
      if machine.contact!.isActive && !before { changedAt = edge.uptime }
    }
    machine.unread = []
    machine.contact!.read(isActive: machine.isActive, at: now)
    if sabotage == .muteWaits, waitsToMute() { return }
    let isActive = sabotage == .unmuteAtOnce ? machine.isActive : machine.contact!.isActive
    become(isActive ? .off : .on, at: changedAt)
  }

  private func loseContact() {
    machine.contact = nil
    become(.lost("gone"), at: machine.uptime)
  }

  private func become(_ switchState: SwitchState, at uptime: Int64) {
    guard switchState != machine.switchState else { return }
    machine.switchState = switchState
    see(.read(switchState))
    handle(.switched(switchState, at: Uptime(nanoseconds: uptime)))
  }

  // MARK: The player and the pulse

  /// The player looks at its device.
  func tick() {
    for index in tracks.indices { tracks[index].decide(machine.moment) }
    takeSounds(through: machine.uptime)
    for id in tracks.map(\.sounding.id) {
      guard let index = tracks.firstIndex(where: { $0.sounding.id == id }) else { continue }
      let isEnding = (tracks[index].verdict?.at ?? .max) <= machine.uptime
      if let heard = tracks[index].takeHeard(machine.moment, isEnding: isEnding) {
        handle(.heard(id, heard))
      }
    }
    while let index = tracks.firstIndex(where: { ($0.verdict?.at ?? .max) <= machine.uptime }) {
      let over = tracks.remove(at: index)
      if let again = playedAgain(over) { tracks.append(again) } else { end(over) }
    }
    endIfSilent()
  }

  private func playedAgain(_ track: Track) -> Track? {
    guard sabotage == .playedTwice, case .finished = track.verdict?.outcome,
      let announcement = track.sounding.announcement,
      announcement.anchor.nanoseconds / minute % 10 == 0
    else { return nil }
    let again = Announcement(
      announcement.id, cause: announcement.cause, time: announcement.time,
      anchor: machine.now.instant + .seconds(1))
    return Track(.announcement(again), phrase: second, queue: 100 * millisecond, machine.moment)
  }

  /// The service's check once a minute, made only if something may have changed unnoticed. systemd
  /// restarts a service that is not alive.
  func checkVitals() {
    machine.pulse = nil
    guard let conductor else { return }
    if judgeClock() != conductor.announcer.rules.trust { handle(.woke) }
    guard machine.isWakeUpLost else { return }
    if vitals.ailment(at: machine.now) == nil {
      machine.pulse = machine.uptime + 30 * second
    } else {
      endService(after: second, isKilled: true)
    }
  }

  var vitals: Vitals {
    Vitals(
      wakeUp: machine.wakeUp.map { Instant(nanoseconds: $0) }, contactsAnswer: true,
      lastTaken: !isPlaying ? nil : Uptime(nanoseconds: machine.uptime))
  }
}
