import Horology
import Service

/// A person's orders to timers, alarms and the interval.
extension World {
  func order(_ wish: Wish) {
    guard let conductor else { return }
    settleClock()
    var wish = wish
    if case .setAlarm(let alarm) = wish {
      wish = .setAlarm(alarm.dated(faces.face(machine.zone).day(machine.moment.shown)))
    }
    let moment = machine.moment
    consequences = []
    let answer = conductor.answer(to: event(wish))
    let told = consequences!
    consequences = nil
    switch answer {
    case .refused: break
    case .number(let number): see(.ordered(wish, number: number), moment)
    case .interval(let isNew): see(.ordered(wish, number: isNew ? 1 : nil), moment)
    case .done, .announcement: see(.ordered(wish, number: nil), moment)
    }
    for (fact, moment) in told { see(fact, moment) }
  }

  private func event(_ wish: Wish) -> Event {
    switch wish {
    case .start(let span, let name): .timer(.start(.nanoseconds(span), name: name))
    case .add(let span, let which): .timer(.add(.nanoseconds(span), to: which))
    case .pause(let which): .timer(.pause(which))
    case .resume(let which): .timer(.resume(which))
    case .cancel(let which): .timer(.cancel(which))
    case .tell(let which): .timer(.tell(which))
    case .setAlarm(let alarm): .alarm(.set(sabotaged(alarm).plan))
    case .cancelAlarm(let which): .alarm(.cancel(which))
    case .skipAlarm(let which): .alarm(.skip(which))
    case .snooze: .alarm(.snooze(nil))
    case .stopAlarms: .alarm(.stop(nil))
    case .startInterval(let plan, let replaces): .timer(.startInterval(plan, replaces: replaces))
    case .stopInterval: .timer(.stopInterval)
    }
  }

  func press(_ speakerIsAwake: Bool) {
    // An alarm may ring as soon as the clock is trusted. Then the button is for that.
    settleClock()
    see(.pressed)
    handle(.pressed(speakerIsAwake: speakerIsAwake))
  }
}
