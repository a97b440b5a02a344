import Basics
import Daemon

/// The events of the relay's journal. The raw value is the entry's `CLOCKSMITH_EVENT`.
enum RelayEvent: String, CaseIterable, Sendable {
  case started = "relay_started"
  case stopping = "relay_stopping"
  case wordsLost = "relay_words_lost"
  case broker = "relay_broker"
  case brokerLost = "relay_broker_lost"
  case announcer = "relay_announcer"
  case announcerLost = "relay_announcer_lost"
  case command = "relay_command"
  case rejected = "relay_rejected"
  case homeAssistant = "relay_home_assistant"
  case denied = "relay_denied"
  case waiting = "relay_waiting"
  case memory = "relay_memory"
  case reloaded = "relay_reloaded"
  case pushed = "relay_pushed"
  case provider = "relay_provider"
  case providerLost = "relay_provider_lost"
  case deviceGone = "relay_device_gone"
  case register = "relay_register"
  case http = "relay_http"
  case httpLost = "relay_http_lost"

  /// The `MESSAGE_ID`, made with `systemd-id128 new`: it never changes.
  var messageID: String {
    switch self {
    case .started: "9d532e13f58d4be7bd1b155659e1e269"
    case .stopping: "c991e48bc48242a29650829fe2c88abf"
    case .wordsLost: "c08d7a641dd54d55ad32f9ddfd965f57"
    case .broker: "045305d56d234ce59c356b3f2f584beb"
    case .brokerLost: "9e9701b00b604544866130cdef508127"
    case .announcer: "46c611d8d95f4914bd2ab9c25aa8f9fe"
    case .announcerLost: "d35298635eec4c14867fd4a2c98c348d"
    case .command: "9899e850ea4444c0a43a8678a62ea9fa"
    case .rejected: "48341d6d64ed4581b184d5dd2d7cc973"
    case .homeAssistant: "51b8fc833366458e97a3616643a20836"
    case .denied: "2d1d9797e6074d688b2a1215591567e5"
    case .waiting: "dc35a12926584d9c86bffac8fa9fcc6d"
    case .memory: "32df4a94add34462855ec0d2fef65453"
    case .reloaded: "3574bfc1690246eaa4c6169c2f648f79"
    case .pushed: "57c46155e7f44036936cda7a1aa2b5ee"
    case .provider: "0bf4b513e2c641b58fa7248e2d3f80ed"
    case .providerLost: "0ff81061e27e4349b387100677e10659"
    case .deviceGone: "04cfb290fcd146d79a9498c6aabf4715"
    case .register: "25a5c65da3f849e98b937a6cb21b246a"
    case .http: "016841cdb26045a1a026899ffc6c9534"
    case .httpLost: "96125916b3344aa4bb62abd47a9e2253"
    }
  }
}

extension Notice {
  init(
    _ event: RelayEvent, _ priority: Priority, _ message: String,
    _ fields: [String: String?] = [:]
  ) {
    self.init(event: event.rawValue, messageID: event.messageID, priority, message, fields)
  }
}

extension Journal {
  /// The relay's journal.
  convenience init() {
    self.init(identifier: "clocksmith-relay") { Notice(.wordsLost, .warning, $0, $1) }
  }

  func log(
    _ event: RelayEvent, _ priority: Priority, _ message: String,
    _ fields: [String: String?] = [:]
  ) {
    log(Notice(event, priority, message, fields))
  }
}
