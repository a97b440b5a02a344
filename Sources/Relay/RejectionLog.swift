import Basics
import Daemon

/// Logs what is refused: each cause once an hour.
final class RejectionLog {
  private static let most = 64

  private let journal: Journal
  private var causes: Set<Rejection> = []
  private var since = uptime

  init(_ journal: Journal) { self.journal = journal }

  /// - Parameter source: the topic, or the path.
  func log(_ rejection: Rejection, from source: String) {
    if uptime - since > .seconds(3600) { (causes, since) = ([], uptime) }
    var cause = rejection
    cause.id = nil
    // Causes that are made up must not fill the journal.
    guard causes.count < Self.most, causes.insert(cause).inserted else { return }
    let what = rejection.id.map { "the command \"\($0)\"" } ?? "a message"
    journal.log(
      .rejected, .warning, "refused \(what) on \(source.excerpt): \(rejection.words)".printable,
      ["REASON": rejection.reason, "ID": rejection.id, "TOPIC": source])
  }
}
