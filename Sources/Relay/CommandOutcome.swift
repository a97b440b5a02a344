import Basics

/// How a command ended, or until when it waits.
enum CommandOutcome {
  case done
  /// All was as the command wants it.
  case unchanged
  /// It is kept until its instant is near.
  case waits(until: UTCTime)
  case refused(Rejection)
}

extension CommandOutcome {
  /// The answer on MQTT, as JSON.
  /// - Parameter id: of the command; nil if it has none.
  func payload(id: String?) -> String {
    let line = JSONLine()
    line.set("id", id)
    switch self {
    case .done: line.set("status", "done")
    case .unchanged: line.set("status", "unchanged")
    case .waits(let instant):
      line.set("status", "waiting")
      line.set("at", instant.text)
    case .refused(let rejection):
      line.set("status", "refused")
      line.set("error", rejection.words)
      line.set("reason", rejection.kind.rawValue)
    }
    return line.text
  }
}
