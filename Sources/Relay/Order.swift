import Basics
import Daemon

/// A call of an announcer method, or the setting of its volume.
enum AnnouncerCall: Hashable, Sendable {
  case method(String, [BusValue])
  /// In dB.
  case setVolume(Double)
}

/// A command, read and checked as far as possible without the announcer.
struct Order: Hashable, Sendable {
  /// What is to be done: by the announcer, or by the relay itself.
  enum Action: Hashable, Sendable {
    case call(AnnouncerCall)
    /// Cancels the waiting command with this id.
    case cancel(id: String)
    case register(Device)
    /// Removes the device with this token from the register.
    case remove(token: String)
  }

  /// The command's name in the message.
  let name: String
  let action: Action
  /// Identifies a second delivery; nil if the command has no id.
  let id: String?
  /// From this instant on, the command must not be carried out.
  let expires: UTCTime?
  /// When to sound, on every clock that has the command; nil for now.
  let at: UTCTime?
  /// As it was sent, on one line.
  let line: String

  /// As the journal names it: `announce` or `announce "bell-7"`.
  var title: String { id.map { "\(name) \"\($0)\"" } ?? name }
}

extension Order {
  /// Larger messages are not commands.
  static let largestPayload = 16_384
  static let longestID = 64
  private static func isID(_ id: String) -> Bool { (1...longestID).contains(id.utf8.count) }
  /// Where a fault is that names its key itself.
  static let place = "the command"

  private static let common: Set = ["command", "id", "expires"]

  /// Reads a received command.
  /// - Parameter known: keys of the command that are given elsewhere; the payload must not hold
  ///   them again.
  /// - Throws: `Rejection` that says what is wrong and what is allowed.
  init(
    payload: String, with known: [(key: String, text: String)] = []
  ) throws(Rejection) {
    let object: JSONObject
    do throws(Fault) {
      object = try JSONObject(payload, path: Self.place)
    } catch {
      throw Rejection(.json, error.detail)
    }
    for (key, text) in known {
      guard !object.keys.contains(key) else {
        throw Rejection(.key, "'\(key)' is told by the path; leave it out of the body")
      }
      object.set(key, text)
    }
    do {
      guard let name = try object.text("command") else {
        throw Rejection(
          .command, "it has no 'command'; there are \(CommandTable.names)")
      }
      guard let entry = CommandTable.entries[name] else {
        throw Rejection(
          .command, "unknown command '\(name.excerpt)'; there are \(CommandTable.names)")
      }
      let known = Self.common.union(entry.keys).union(entry.mayWait ? ["at"] : [])
      if let key = object.keys.first(where: { !known.contains($0) }) {
        throw Rejection(
          .key,
          "unknown key '\(key.excerpt)' in '\(name)'; there are "
            + known.sorted().joined(separator: ", "))
      }
      self.name = name
      line = object.line
      action = try entry.read(object)
      // In a cancellation, `id` is the id of the command to cancel.
      if case .cancel = action { id = nil } else { id = try object.text("id") }
      expires = try object.time("expires")
      at = entry.mayWait ? try object.time("at") : nil
      if let id, !Self.isID(id) {
        throw Fault(
          Self.place, "id has \(id.utf8.count) bytes; 1 to \(Self.longestID) are allowed")
      }
    } catch {
      var rejection =
        error as? Rejection
        ?? Rejection(.value, (error as? Fault)?.wordsInCommand ?? "\(error)")
      if let id = try? object.text("id"), Self.isID(id) { rejection.id = id }
      throw rejection
    }
  }
}

extension Fault {
  /// What is wrong in a command, with the name of its key.
  fileprivate var wordsInCommand: String { operation == Order.place ? detail : description }
}
