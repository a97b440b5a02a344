import Service

/// Tells a person if the service cannot keep what was set just now. A service that was started by
/// hand without a folder has said so at its start.
func noteIfNotKept(_ status: Status) {
  guard !status.stateError.isEmpty, status.stateError != Status.hasNoStateFolder else { return }
  complain("note: it is not saved, and lost at a restart: \(status.stateError)")
}

/// Asks the service for its status, and does as `noteIfNotKept(_:)`.
func noteIfNotKept(by service: RunningService) {
  if let status = try? service.status() { noteIfNotKept(status) }
}

extension Status {
  /// Why what is set at run time is lost at a restart, as `check` and `status` show it; nil if it is
  /// kept.
  var stateWords: String? {
    stateError.isEmpty ? nil : "what is set at run time is lost at a restart: \(stateError)"
  }

  /// False, too, without a folder: who starts the service by hand may not want one.
  var isStateInTrouble: Bool { !stateError.isEmpty && stateError != Self.hasNoStateFolder }
}
