import Basics
import Horology

/// How a command ended, or until when it waits.
enum CommandOutcome {
  case done
  /// All was as the command wants it.
  case unchanged
  /// It is kept until its instant is near.
  case waits(until: Instant)
  case refused(Rejection)
}

extension CommandOutcome {
  var record: Record {
    switch self {
    case .done: Record(["status": .text("done")])
    case .unchanged: Record(["status": .text("unchanged")])
    case .waits(let instant): Record(["status": .text("waiting"), "at": .text(instant.rfc3339)])
    case .refused(let rejection):
      Record(["error": .text(rejection.words), "reason": .text(rejection.reason)])
    }
  }

  /// The answer on MQTT, as JSON.
  /// - Parameter id: of the command; nil if it has none.
  func payload(id: String?) -> String {
    var answer = Record(["id": id.map { .text($0) }, "status": .text("refused")])
    for (key, value) in record.fields { answer[key] = value }
    return answer.json
  }
}
