import Horology

/// The effect of an incident on the machine. It comes at once, whatever the loop is doing. What
/// concerns the service waits in its inbox.
extension World {
  func strike(_ kind: Incident.Kind) {
    switch kind {
    case .step(let span, let byServer):
      let isSynchronised = machine.clock.isSynchronised
      setClock(by: span)
      if !(byServer && isSynchronised) { machine.clock.lose(machine, atOnce: true) }
      looksSoon()
    case .synchronised:
      machine.clock.synchronise()
      oracle.clock.readingIsOld(machine.moment)
      looksSoon()
      // A smaller error is slewed away.
      if abs(machine.error) > 128 * millisecond {
        setClock(by: -machine.error)
      } else {
        atAnotherPace { $0.slew(by: -$0.error) }
      }
    case .synchronisationLost(let atOnce):
      machine.clock.lose(machine, atOnce: atOnce)
      looksSoon()
    case .rtc(let rtc):
      machine.clock.rtc = rtc
      oracle.clock.readingIsOld(machine.moment)
      looksSoon()
    case .drift(let millionths): atAnotherPace { $0.driftMillionths = millionths }
    case .slew(let span): atAnotherPace { $0.slew(by: span) }
    case .converter(let millionths): atAnotherPace { $0.converterMillionths = millionths }
    case .sleep(let span): sleep(span)
    case .stall(let span): if machine.starts == nil { machine.inbox.append(.stall(span)) }
    // The loop cannot be interrupted here: the power goes right after its current task.
    case .powerCut where isHeld: machine.inbox.insert(.incident(kind), at: 0)
    case .powerCut(let span, let behind): cutPower(span, clockIsBehind: behind)
    case .wakeUpLost:
      guard machine.starts == nil, machine.wakeUp != nil else { return }
      machine.isWakeUpLost = true
      oracle.disturbed(.service, machine.moment)
      machine.pulse = machine.uptime + machine.whim(30 * second)
    case .zone(let name):
      if machine.starts != nil {
        machine.zone = name
        faces.use(name)
        oracle.take(faces.face(name), machine.moment)
      } else {
        machine.inbox.append(.incident(kind))
      }
    case .contact(let isActive, let edges, let apart): move(to: isActive, edges, apart)
    case .switchLost:
      machine.isSwitchLost = true
      machine.unread = []
      oracle.lostSwitch(machine.moment)
      if machine.starts == nil { machine.inbox.append(.switchLost) }
    case .switchFound:
      guard machine.isSwitchLost else { return }
      machine.isSwitchLost = false
      if machine.starts == nil { machine.inbox.append(.edges) }
    case .slowToOpen(let span, let length): machine.slow = spell(span, length)
    case .busy(let span): machine.busy = spell(span, 0)
    case .longQueue(let span, let length): machine.queued = spell(span, length)
    case .stopsLate(let span, let length): machine.late = spell(span, length)
    case .speakerLost:
      guard isPlaying else { return }
      for index in turns.indices { turns[index].fail("the speaker is gone", machine) }
      oracle.disturbed(.speaker, machine.moment)
    case .restart, .muteFor, .muteNext, .muteOn, .unmute, .stopByHand, .ask, .askFor, .reload,
      .timer, .alarm, .press:
      // These are lost while the service does not run.
      if machine.starts == nil, machine.stopping == nil { machine.inbox.append(.incident(kind)) }
    }
  }

  /// Changes the pace of the converter or of the clocks, and tells the turns.
  func atAnotherPace(_ change: (inout Machine) -> Void) {
    let before = machine.paceMillionths
    change(&machine)
    let change = machine.paceMillionths - before
    for index in turns.indices { turns[index].paceChanged(by: change, machine) }
  }

  private func spell(_ span: Int64, _ length: Int64) -> Machine.Spell {
    Machine.Spell(until: machine.moment.elapsed + span, length: length)
  }

  private func setClock(by span: Int64) {
    // Keeps the clock within the years that the faces cover.
    let span = abs(machine.error + span) > 200 * day ? -machine.error : span
    guard span != 0 else { return }
    machine.set(by: span)
    if span < 0 { forgetsDecisions = true }
    oracle.clockWasSet(by: span, machine.moment)
    guard machine.starts == nil else { return }
    tellOfClock()
  }

  /// The player and the timer both notice, in either order.
  private func tellOfClock() {
    let notes: [Machine.Note] =
      machine.whim(1) == 0 ? [.tick, .clockSet] : [.clockSet, .tick]
    machine.inbox += notes
  }

  /// The service looks at its clock within a minute.
  private func looksSoon() {
    guard machine.starts == nil else { return }
    let pulse = machine.uptime + machine.whim(60 * second)
    machine.pulse = min(pulse, machine.pulse ?? pulse)
  }

  private func sleep(_ span: Int64) {
    for index in turns.indices { turns[index].fail(Self.stoodStill, machine) }
    takeSounds(through: machine.uptime)
    machine.sleep(span)
    oracle.slept(span, machine.moment)
    if machine.starts == nil { tellOfClock() }
  }

  /// The oracle hears what sounds by then.
  func takeSounds(through end: Int64) {
    for index in turns.indices {
      while let sound = turns[index].takeSound(through: end) {
        let moment = machine.moment.later(by: sound.at - machine.uptime)
        diary?.write("  heard: \(turns[index].id.number) \(sound.kind)", moment)
        switch turns[index].matter {
        case .announcement(let announcement): oracle.hears(sound.kind, of: announcement, moment)
        case .cue(let cue, _): oracle.hears(sound.kind, of: cue, moment)
        }
      }
    }
  }

  func cutPower(_ span: Int64, clockIsBehind behind: Int64) {
    let wasRunning = conductor != nil
    if wasRunning { endService(after: 0) }
    machine.pass(span)
    machine.boot += 1
    machine.uptime = 10 * second
    machine.sinceBoot = 10 * second
    machine.edges = []
    machine.endSlew()
    // Without an RTC, the clock goes on behind true time.
    var behind = behind
    machine.clock.isSetFromRTC = false
    if case .running(let ahead) = machine.clock.rtc {
      behind = -ahead
      machine.clock.isSetFromRTC = true
    }
    machine.moment.shown -= machine.error + behind
    machine.error = -behind
    machine.clock.start(machine)
    machine.starts = machine.uptime + machine.whim(20 * second)
    oracle.powerCame(machine.moment)
  }

  private func move(to isActive: Bool, _ edges: Int, _ apart: Int64) {
    // The last edge leads to the level that stays.
    for number in 0..<edges {
      let level = (edges - 1 - number) % 2 == 0 ? isActive : !isActive
      machine.edges.append(
        Machine.Edge(uptime: machine.uptime + Int64(number) * apart, isActive: level))
    }
    machine.edges.sort { $0.uptime < $1.uptime }
  }
}
