import Devices
import Horology

/// The effect of an incident on the machine. It comes at once, whatever the loop is doing. What
/// concerns the service waits in its inbox.
extension World {
  func strike(_ kind: Incident.Kind) {
    switch kind {
    case .step(let span):
      setClock(by: span)
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
    case .sleep(let span): sleep(span)
    // The loop cannot be interrupted here.
    case .powerCut where isHeld: break
    case .powerCut(let span, let ahead, let hasRTC): cutPower(span, ahead, hasRTC)
    case .zone(let name) where machine.starts != nil: _ = change(zone: name)
    case .contact(let contact):
      machine.contact = contact
      // The switch comes first.
      if machine.starts == nil { machine.inbox.insert(.switched(at: uptime), at: 0) }
    case .slowToOpen(let span, let length):
      see(.disturbed(.speaker, lasting: span + 10 * second))
      machine.slow = (moment.elapsed + span, length)
    case .busy(let span):
      see(.disturbed(.speaker, lasting: span + 10 * second))
      machine.busyUntil = moment.elapsed + span
    case .speakerLost:
      see(.disturbed(.speaker, lasting: 10 * second))
      for index in playbacks.indices { playbacks[index].fail("the speaker is gone", moment) }
    case .zone: machine.inbox.append(.incident(kind))
    case .stall, .restart, .order, .muteFor, .ask, .reload:
      if case .stall(let span) = kind { see(.disturbed(.hold, lasting: span)) }
      // These are lost while the service does not run.
      if machine.starts == nil, machine.stopping == nil { machine.inbox.append(.incident(kind)) }
    }
  }

  func change(zone name: String) -> SystemZone {
    machine.zone = name
    defer { see(.tookZone) }
    return use(name)
  }

  private func setClock(by span: Int64) {
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

  /// The service looks at its clock within a minute.
  private func judgesSoon() {
    guard machine.starts == nil else { return }
    machine.judges = min(uptime + moment.whim(60 * second), machine.judges ?? .max)
  }

  private func sleep(_ span: Int64) {
    for index in playbacks.indices { playbacks[index].fail(Self.stoodStill, moment) }
    hear(through: uptime)
    let uptime = uptime
    moment = moment.later(by: span)
    moment.uptime = uptime
    see(.disturbed(.sleep))
    noticesClock()
  }

  private func cutPower(_ span: Int64, _ ahead: Int64, _ hasRTC: Bool) {
    if conductor != nil { endService(after: 0, isKilled: true) }
    moment = moment.later(by: span)
    machine.boot += 1
    (moment.uptime, moment.sinceBoot) = (10 * second, 10 * second)
    let step = ahead - machine.clock.ahead
    machine.clock = ClockHardware(
      ahead: ahead, isSynchronised: false, rtcAhead: hasRTC ? ahead : nil)
    moment.shown += step
    machine.starts = uptime + moment.whim(20 * second)
    see(.powerCame)
    if step != 0 { see(.clockSet(by: step)) }
  }
}
