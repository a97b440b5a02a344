import Basics
import Daemon
import Vocabulary

extension JournalEvent {
  /// True for what `StateError` and `StateLoss` tell.
  var isOfState: Bool { [.state, .stateSetAside, .stateFailed, .stateNowhere].contains(self) }
}

extension Notice {
  init(
    _ event: JournalEvent, _ priority: Priority, _ message: String,
    _ fields: [String: String?] = [:]
  ) {
    self.init(
      event: event.key, messageID: event.messageID, priority, message, fields)
  }
}

extension Journal {
  public convenience init() {
    self.init(identifier: "clocksmith") { Notice(.wordsLost, .warning, $0, $1) }
  }

  func log(
    _ event: JournalEvent, _ priority: Priority, _ message: String,
    _ fields: [String: String?] = [:]
  ) {
    log(Notice(event, priority, message, fields))
  }
}
