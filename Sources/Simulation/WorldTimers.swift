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
    case .start(let span, let name): .reminder(.start(.nanoseconds(span), name: name))
    case .add(let span, let which): .reminder(.add(.nanoseconds(span), to: which))
    case .pause(let which): .reminder(.pause(which))
    case .resume(let which): .reminder(.resume(which))
    case .cancel(let which): .reminder(.cancel(.timer, which))
    case .tell(let which): .reminder(.tell(which))
    case .setAlarm(let alarm): .reminder(.set(sabotaged(alarm).plan))
    case .cancelAlarm(let which): .reminder(.cancel(.alarm, which))
    case .skipAlarm(let which): .reminder(.skip(which))
    case .snooze: .reminder(.snooze(nil))
    case .stopAlarms: .reminder(.stop(nil))
    case .startInterval(let plan, let replaces): .interval(.start(plan, replaces: replaces))
    case .stopInterval: .interval(.stop)
    }
  }

  func press(_ speakerIsAwake: Bool) {
    // An alarm may ring as soon as the clock is trusted. Then the button is for that.
    settleClock()
    see(.pressed)
    handle(.pressed(speakerIsAwake: speakerIsAwake))
  }
}
