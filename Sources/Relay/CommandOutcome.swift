import Basics
import Horology

/// How a command ended, or until when it waits.
enum CommandOutcome {
  /// With the announcer's answer.
  case done(Record)
  /// All was as the command wants it.
  case unchanged
  /// It is kept until its instant is near.
  case waits(until: Instant)
  case refused(Rejection)
}

extension CommandOutcome {
  var record: Record {
    switch self {
    case .done(let told): Record(["status": .text("done")]).merging(told)
    case .unchanged: Record(["status": .text("unchanged")])
    case .waits(let instant): Record(["status": .text("waiting"), "at": .text(instant.rfc3339)])
    case .refused(let rejection):
      Record(["error": .text(rejection.words), "reason": .text(rejection.reason)])
    }
  }

  /// The answer on MQTT, as JSON.
  /// - Parameter id: of the command; nil if it has none.
  func payload(id: String?) -> String {
    Record(["id": id.map { .text($0) }, "status": .text("refused")]).merging(record).json
  }
}
