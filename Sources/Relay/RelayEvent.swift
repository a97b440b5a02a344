import Basics
import Daemon

/// The events of the relay's journal: the entry's `CLOCKSMITH_EVENT`, and its `MESSAGE_ID`, which was
/// made with `systemd-id128 new` and never changes.
enum RelayEvent: String, CaseIterable, Sendable {
  case started = "relay_started 9d532e13f58d4be7bd1b155659e1e269"
  case stopping = "relay_stopping c991e48bc48242a29650829fe2c88abf"
  case wordsLost = "relay_words_lost c08d7a641dd54d55ad32f9ddfd965f57"
  case broker = "relay_broker 045305d56d234ce59c356b3f2f584beb"
  case brokerLost = "relay_broker_lost 9e9701b00b604544866130cdef508127"
  case announcer = "relay_announcer 46c611d8d95f4914bd2ab9c25aa8f9fe"
  case announcerLost = "relay_announcer_lost d35298635eec4c14867fd4a2c98c348d"
  case command = "relay_command 9899e850ea4444c0a43a8678a62ea9fa"
  case rejected = "relay_rejected 48341d6d64ed4581b184d5dd2d7cc973"
  case homeAssistant = "relay_home_assistant 51b8fc833366458e97a3616643a20836"
  case denied = "relay_denied 2d1d9797e6074d688b2a1215591567e5"
  case waiting = "relay_waiting dc35a12926584d9c86bffac8fa9fcc6d"
  case reloaded = "relay_reloaded 3574bfc1690246eaa4c6169c2f648f79"
  case pushed = "relay_pushed 57c46155e7f44036936cda7a1aa2b5ee"
  case provider = "relay_provider 0bf4b513e2c641b58fa7248e2d3f80ed"
  case providerLost = "relay_provider_lost 0ff81061e27e4349b387100677e10659"
  case deviceGone = "relay_device_gone 04cfb290fcd146d79a9498c6aabf4715"
  case register = "relay_register 25a5c65da3f849e98b937a6cb21b246a"
  case http = "relay_http 016841cdb26045a1a026899ffc6c9534"
  case httpLost = "relay_http_lost 96125916b3344aa4bb62abd47a9e2253"
  case pairing = "relay_pairing 63e7cb3dedb04772952f989a527556ab"
  case phone = "relay_phone d83eb754365445bbbddc775eae095859"

  var name: String { String(rawValue.prefix { $0 != " " }) }
  var messageID: String { String(rawValue.dropFirst(name.count + 1)) }

  fileprivate func notice(
    _ priority: Priority, _ message: String, _ fields: [String: String?]
  ) -> Notice {
    Notice(event: name, messageID: messageID, priority, message, fields)
  }
}

extension Journal {
  convenience init() {
    self.init(identifier: "clocksmith-relay") { RelayEvent.wordsLost.notice(.warning, $0, $1) }
  }

  func log(
    _ event: RelayEvent, _ priority: Priority, _ message: String,
    _ fields: [String: String?] = [:]
  ) {
    log(event.notice(priority, message, fields))
  }
}
