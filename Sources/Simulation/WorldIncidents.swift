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
      if !(byServer && isSynchronised) { machine.clock.lose(moment) }
      judgesSoon()
    case .synchronised:
      machine.clock.synchronise()
      judgesSoon()
      // A smaller error is slewed away, which nobody hears.
      if abs(machine.clock.ahead) > 128 * millisecond {
        setClock(by: -machine.clock.ahead)
      } else {
        machine.clock.ahead = 0
      }
    case .synchronisationLost:
      machine.clock.lose(moment)
      judgesSoon()
    case .rtc(let rtc):
      machine.clock.rtc = rtc
      judgesSoon()
    case .sleep(let span): sleep(span)
    case .stall(let span): if machine.starts == nil { machine.inbox.append(.stall(span)) }
    // The loop cannot be interrupted here: the power goes right after its current task.
    case .powerCut where isHeld: machine.inbox.insert(.incident(kind), at: 0)
    case .powerCut(let span, let behind): cutPower(span, clockIsBehind: behind)
    case .zone(let name) where machine.starts != nil:
      machine.zone = name
      faces.use(name)
      see(.tookZone(faces.face(name)))
    case .contact(let isClosed):
      machine.isClosed = isClosed
      if isClosed, !isHeld { see(.contactCloses) }
      moves()
    case .switchLost:
      machine.isSwitchLost = true
      moves()
    case .switchFound:
      machine.isSwitchLost = false
      moves()
    case .slowToOpen(let span, let length): machine.slow = spell(span, length)
    case .busy(let span): machine.busy = spell(span, 0)
    case .longQueue(let span, let length): machine.queued = spell(span, length)
    case .speakerLost:
      for index in tracks.indices { tracks[index].fail("the speaker is gone", moment) }
    case .zone: machine.inbox.append(.incident(kind))
    case .restart, .muteFor, .mute, .stopByHand, .ask, .reload, .reminder, .interval, .press,
      .holdButton:
      // These are lost while the service does not run.
      if machine.starts == nil, machine.stopping == nil { machine.inbox.append(.incident(kind)) }
    }
  }

  private func spell(_ span: Int64, _ length: Int64) -> Machine.Spell {
    Machine.Spell(until: moment.elapsed + span, length: length)
  }

  private func setClock(by span: Int64) {
    // Keeps the clock within the years that the faces cover.
    let ahead = machine.clock.ahead
    let span = abs(ahead + span) > 200 * day ? -ahead : span
    guard span != 0 else { return }
    moment.shown += span
    machine.clock.ahead += span
    see(.clockSet(by: span))
    noticesClock()
  }

  /// The player and the timer both notice, in either order.
  private func noticesClock() {
    machine.wasSet = true
    guard machine.starts == nil else { return }
    machine.inbox += moment.whim(1) == 0 ? [.tick, .clockSet] : [.clockSet, .tick]
  }

  private func moves() {
    if machine.starts == nil { machine.inbox.append(.switched(at: uptime)) }
  }

  /// The service looks at its clock within a minute.
  private func judgesSoon() {
    guard machine.starts == nil else { return }
    machine.judges = min(uptime + moment.whim(60 * second), machine.judges ?? .max)
  }

  private func sleep(_ span: Int64) {
    for index in tracks.indices { tracks[index].fail(Self.stoodStill, moment) }
    hear(through: uptime)
    let uptime = uptime
    moment = moment.later(by: span)
    moment.uptime = uptime
    see(.disturbed(.sleep))
    noticesClock()
  }

  func cutPower(_ span: Int64, clockIsBehind behind: Int64) {
    if conductor != nil { endService(after: 0, isKilled: true) }
    moment = moment.later(by: span)
    machine.boot += 1
    (moment.uptime, moment.sinceBoot) = (10 * second, 10 * second)
    let step = machine.clock.start(behind: behind)
    moment.shown += step
    machine.starts = uptime + moment.whim(20 * second)
    see(.powerCame)
    if step != 0 { see(.clockSet(by: step)) }
  }
}

extension Incident.Kind {
  /// What it may disturb, and for how much longer than it takes to be handled; nil for what people
  /// ask for and set.
  fileprivate var disturbance: (Cause, lasting: Int64)? {
    switch self {
    case .step, .synchronised, .synchronisationLost, .rtc: (.clock, 0)
    case .sleep: (.sleep, 0)
    case .stall(let span): (.hold, span)
    case .restart, .powerCut: (.service, 0)
    case .zone, .reload: (.rules, 0)
    case .contact, .switchLost, .switchFound: (.contact, second)
    case .muteFor, .mute: (.mute, 0)
    case .stopByHand, .press, .holdButton: (.hand, 0)
    case .slowToOpen(let span, _), .longQueue(let span, _), .busy(let span):
      (.speaker, span + 10 * second)
    case .speakerLost: (.speaker, 10 * second)
    case .ask, .reminder, .interval: nil
    }
  }
}
