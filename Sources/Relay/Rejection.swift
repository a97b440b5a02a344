import Basics
import Horology

/// Why a received message is not carried out.
struct Rejection: Error, Hashable, Sendable {
  enum Kind: String, Sendable {
    case topic, large, json, command, key, value
    case retained, repeated, expired
    case past, future, full, untrusted
    /// No waiting command has this id, or no device has this token.
    case unknown
    case absent, refused, timeout
    /// The register of devices cannot be used now.
    case register
    /// The announcer says something else; it may be free in time.
    case busy
    case cancelled
    /// HTTP only: the caller does not have the token.
    case token
  }

  let kind: Kind
  /// The key of the clock's own refusal; nil if the relay refuses.
  let key: String?
  /// The end of a sentence that begins with the message and its topic. Safe for a terminal.
  let words: String
  var id: String?

  /// For programs: the reason in an answer and in the journal.
  var reason: String { key ?? kind.rawValue }

  init(_ kind: Kind, _ words: String, key: String? = nil) {
    self.kind = kind
    self.key = key
    self.words = words.printable
  }

  /// The clock refuses it.
  init(ofClock key: String, _ flaw: String) {
    let kind: Kind =
      switch RefusalKey(rawValue: key) {
      case .busy: .busy
      case .past, .over, .tooNear: .past
      case .name: .value
      default: .refused
      }
    self.init(kind, RefusalKey.sentence(flaw, key: key, for: .sender), key: key)
  }
}
