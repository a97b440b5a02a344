import Basics
import Horology
import Service

let startAdvice = "start it with 'sudo systemctl start clocksmith'"

func runningService() throws -> RunningService {
  guard let service = try RunningService() else {
    throw Fault(
      "the clock is not running", "\(startAdvice), or see 'systemctl status clocksmith'")
  }
  return service
}

/// For a command that can do without: nil, with a note, if the bus does not answer.
func reachableService() -> RunningService? {
  do throws(Fault) {
    return try RunningService()
  } catch {
    complain("note: \(error)")
    return nil
  }
}

extension RunningService {
  /// Gives an order, then notes if what is set cannot be saved.
  @discardableResult
  func change<Answer>(_ order: (RunningService) throws -> Answer) throws -> Answer {
    let answer = try order(self)
    if let status = try? self.status(), status.isStateInTrouble {
      complain("note: \(status.stateWords ?? "")")
    }
    return answer
  }
}

// MARK: Timers and alarms

extension RunningService {
  /// Ends the ring of one or, for nil, of all, and prints which these were.
  func stopRing(of kind: Reminder.Kind, _ named: String?) throws {
    let up = try reminders(kind).filter(\.isUp)
    try ask(.reminder(.stop(kind, named)))
    for reminder in named.map(up.called) ?? up { try tellDone("\(reminder.title) is stopped") }
  }

  func remove(_ kind: Reminder.Kind, _ named: String) throws {
    let removed = try reminders(kind).called(named).first
    try ask(.reminder(.cancel(kind, named)))
    try tellDone("\(removed?.title ?? "\(kind) \(named)") is removed")
  }

  private func reminders(_ kind: Reminder.Kind) throws(Fault) -> [Reminder] {
    let status = try status()
    return kind == .timer ? status.timers : status.alarms.map(\.alarm)
  }
}

extension Status {
  /// Why what is set at run time is lost at a restart; nil if it is kept.
  var stateWords: String? {
    stateError.isEmpty ? nil : "what is set at run time is lost at a restart: \(stateError)"
  }

  /// False, too, without a folder: who starts the service by hand may not want one.
  var isStateInTrouble: Bool { !stateError.isEmpty && stateError != Self.hasNoStateFolder }
}
