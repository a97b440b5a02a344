import Horology

/// The effect of an incident on the machine. It comes at once, whatever the loop is doing. What
/// concerns the service waits in its inbox.
extension World {
  func strike(_ kind: Incident.Kind) {
    if let (cause, lasting) = kind.disturbance { see(.disturbed(cause, lasting: lasting)) }
    switch kind {
    case .step(let span, let byServer):
      let isSynchronised = machine.clock.isSynchronised
      setClock(by: span)
      if !(byServer && isSynchronised) { machine.clock.lose(machine.moment, atOnce: true) }
      looksSoon()
    case .synchronised:
      machine.clock.synchronise()
      looksSoon()
      // A smaller error is slewed away.
      if abs(machine.error) > 128 * millisecond {
        setClock(by: -machine.error)
      } else {
        atAnotherPace { $0.slew(by: -$0.error) }
      }
    case .synchronisationLost(let atOnce):
      machine.clock.lose(machine.moment, atOnce: atOnce)
      looksSoon()
    case .rtc(let rtc):
      machine.clock.rtc = rtc
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
      machine.pulse = machine.uptime + machine.whim(30 * second)
    case .zone(let name):
      if machine.starts != nil {
        machine.zone = name
        faces.use(name)
        see(.tookZone(faces.face(name)))
      } else {
        machine.inbox.append(.incident(kind))
      }
    case .contact(let isActive, let edges, let apart): move(to: isActive, edges, apart)
    case .switchLost:
      machine.isSwitchLost = true
      machine.unread = []
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
      for index in tracks.indices { tracks[index].fail("the speaker is gone", machine.moment) }
    case .restart, .muteFor, .mute, .stopByHand, .ask, .askFor, .askAhead, .reload, .reminder,
      .interval, .press, .holdButton:
      // These are lost while the service does not run.
      if machine.starts == nil, machine.stopping == nil { machine.inbox.append(.incident(kind)) }
    }
  }

  /// Changes the pace of the converter or of the clocks, and tells the tracks.
  func atAnotherPace(_ change: (inout Machine) -> Void) {
    let before = machine.paceMillionths
    change(&machine)
    let change = machine.paceMillionths - before
    for index in tracks.indices { tracks[index].paceChanged(by: change, machine.moment) }
  }

  private func spell(_ span: Int64, _ length: Int64) -> Machine.Spell {
    Machine.Spell(until: machine.moment.elapsed + span, length: length)
  }

  private func setClock(by span: Int64) {
    // Keeps the clock within the years that the faces cover.
    let span = abs(machine.error + span) > 200 * day ? -machine.error : span
    guard span != 0 else { return }
    machine.set(by: span)
    see(.clockSet(by: span))
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
    for index in tracks.indices { tracks[index].fail(Self.stoodStill, machine.moment) }
    takeSounds(through: machine.uptime)
    machine.sleep(span)
    see(.disturbed(.sleep))
    if machine.starts == nil { tellOfClock() }
  }

  /// The judge hears what sounds by then, in order.
  func takeSounds(through end: Int64) {
    func next(_ index: Int) -> Int64 { tracks[index].sounds.first?.at ?? .max }
    while let index = tracks.indices.min(by: { next($0) < next($1) }),
      let sound = tracks[index].takeSound(through: end)
    {
      let moment = machine.moment.later(by: sound.at - machine.uptime)
      diary?.write("  heard: \(tracks[index].sounding.id.number) \(sound.kind)", moment)
      see(.heard(sound.kind, tracks[index].sounding), moment)
    }
  }

  func cutPower(_ span: Int64, clockIsBehind behind: Int64) {
    if conductor != nil { endService(after: 0, isKilled: true) }
    machine.pass(span)
    machine.boot += 1
    machine.moment.uptime = 10 * second
    machine.moment.sinceBoot = 10 * second
    machine.edges = []
    machine.endSlew()
    // Without an RTC, the clock goes on behind true time.
    var behind = behind
    if case .running(let ahead) = machine.clock.rtc { behind = -ahead }
    let step = -machine.error - behind
    machine.moment.shown += step
    machine.error = -behind
    machine.clock.start(machine.moment)
    machine.starts = machine.uptime + machine.whim(20 * second)
    see(.powerCame)
    if step != 0 { see(.clockSet(by: step)) }
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

extension Incident.Kind {
  /// What it may disturb, and for how much longer than it takes to be handled; nil for what people
  /// ask for and set.
  fileprivate var disturbance: (Cause, lasting: Int64)? {
    switch self {
    case .step, .synchronised, .synchronisationLost, .rtc: (.clock, 0)
    case .drift, .slew, .converter: (.speaker, 10 * second)
    case .sleep: (.sleep, 0)
    case .stall(let span): (.hold, span)
    case .restart, .powerCut: (.service, 0)
    // Until it is missed, and systemd restarts the service.
    case .wakeUpLost: (.service, 70 * minute)
    case .zone, .reload: (.rules, 0)
    case .contact(_, let edges, let apart): (.contact, Int64(edges) * apart + second)
    case .switchLost, .switchFound: (.contact, second)
    case .muteFor, .mute: (.mute, 0)
    case .stopByHand, .press, .holdButton: (.hand, 0)
    case .slowToOpen(let span, _), .longQueue(let span, _), .busy(let span),
      .stopsLate(let span, _):
      (.speaker, span + 10 * second)
    case .speakerLost: (.speaker, 10 * second)
    case .ask, .askFor, .askAhead, .reminder, .interval: nil
    }
  }
}
