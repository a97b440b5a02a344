import Service

extension RunningService {
  /// Gives it an order that changes what outlasts a restart. Afterwards tells a person if the
  /// change cannot be kept. A service that was started by hand without a folder has said so at its
  /// start.
  /// - Parameter order: gives the order, and prints what came of it.
  @discardableResult
  func change<Answer>(_ order: (RunningService) throws -> Answer) throws -> Answer {
    let answer = try order(self)
    if let seen = try? self.status(), seen.isStateInTrouble {
      complain("note: the change is not saved, and lost at a restart: \(seen.stateError)")
    }
    return answer
  }
}

extension Status {
  /// Why what is set at run time is lost at a restart, as `check` and `status` show it; nil if it
  /// is kept.
  var stateWords: String? {
    stateError.isEmpty ? nil : "what is set at run time is lost at a restart: \(stateError)"
  }

  /// False, too, without a folder: who starts the service by hand may not want one.
  var isStateInTrouble: Bool { !stateError.isEmpty && stateError != Self.hasNoStateFolder }
}
