import Horology
import Service

/// A person's orders to timers, intervals and alarms.
extension World {
  func order(_ order: TimerOrder) {
    oracle.ordered(order, machine.moment)
    _ = conductor?.answer(to: .timer(order))
  }

  func order(_ wish: AlarmWish) {
    var wish = wish
    if case .set(let alarm) = wish {
      wish = .set(alarm.dated(faces.face(machine.zone).day(machine.moment.shown)))
    }
    oracle.ordered(wish, machine.moment)
    if case .set(let alarm) = wish { wish = .set(sabotaged(alarm)) }
    _ = conductor?.answer(to: .alarm(wish.order))
  }

  func press(_ speakerIsAwake: Bool) {
    // An alarm may ring as soon as the clock is trusted. Then the button is for that.
    settleClock()
    if oracle.timers.isRinging || oracle.timers.hasInterval {
      oracle.pressed(machine.moment)
    } else {
      oracle.asked(nil, machine.moment)
    }
    handle(.pressed(speakerIsAwake: speakerIsAwake))
  }
}

extension AlarmWish {
  fileprivate var order: AlarmOrder {
    switch self {
    case .set(let alarm): .set(alarm.plan)
    case .cancel(let which): .cancel(which)
    case .snooze: .snooze(nil)
    case .stop: .stop(nil)
    }
  }
}
