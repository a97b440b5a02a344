import Basics
import Horology

/// A command, read and checked as far as possible without the announcer.
final class Order {
  enum Action: Hashable, Sendable {
    /// Of the announcer.
    case request(Horology.Request)
    case register(Device)
    case remove(token: String)
  }

  /// As it came, with its path.
  let record: Record
  let name: String
  let action: Action
  /// Identifies a second delivery; nil if the command has no id.
  let id: String?
  /// From this instant on, the command must not be carried out.
  let expires: Instant?
  /// When to sound, on every clock that has the command; nil for now.
  let at: Instant?

  /// The MQTT topic, or the HTTP path.
  var source = ""
  /// Answers an app over HTTP, once; nil if none waits for it.
  var answer: ((CommandOutcome) -> Void)?

  private init(_ record: Record) throws {
    let name = record[Self.command]
    let form = Horology.Request.forms.first {
      $0.name == name || name == "rounds" && $0.name == "interval"
    }
    guard let name, let keys = form?.facts.map(\.name) ?? Self.own[name] else {
      let value = record[Self.command.name]
      throw Rejection(
        .command,
        BadValue(key: "command", value: value, allowed: Self.command.allowed).description)
    }
    let known = keys + Self.common
    if let unknown = record.fields.first(where: { !known.contains($0.key) }) {
      throw Rejection(.key, BadValue(unknown: unknown.key, known: known.sorted()).description)
    }
    self.name = name
    self.record = record
    id = try record.optional(Self.id)
    expires = try record.optional(Self.expires)
    at = record[Horology.Request.Keys.at]
    var request = record
    for key in Self.common { request[key] = nil }
    if let form {
      action = .request(try form.request(request, from: .network))
    } else {
      let device = try Device(request)
      action = name == "device_add" ? .register(device) : .remove(token: device.token)
    }
  }

  /// As the journal names it: `announce` or `announce "bell-7"`.
  var title: String { id.map { "\(name) \"\($0)\"" } ?? name }

  func rejection(_ why: Rejection) -> Rejection {
    var rejection = Rejection(why.kind, "'\(name)': \(why.words)", key: why.key)
    rejection.id = id
    return rejection
  }
}

extension Order {
  static let largestPayload = 16_384

  static let id = Key<String>.text("id", allowed: "a text of 1 to 64 bytes") {
    (1...64).contains($0.utf8.count)
  }
  private static let command = Key<String>.text(
    "command",
    allowed: "one of "
      + (Horology.Request.forms.map(\.name) + own.keys + ["rounds"]).sorted().joined(
        separator: ", "))
  /// The relay's own commands, and their keys.
  private static let own = ["device_add": Device.keys, "device_remove": [Device.token.name]]
  private static let expires = Key<Instant>.instant("expires")
  private static let common = [command.name, id.name, expires.name]

  fileprivate convenience init(payload: String, with known: Record) throws(Rejection) {
    var record: Record
    do throws(Fault) {
      record = try Record(json: payload, path: "the command").merging(known)
    } catch {
      throw Rejection(.json, error.detail)
    }
    record.writeOut(Horology.Request.Keys.at)
    record.writeOut(Self.expires)
    do {
      try self.init(record)
    } catch {
      var rejection = error as? Rejection ?? Rejection(.value, "\(error)")
      rejection.id = record[Self.id]
      throw rejection
    }
  }
}

// MARK: For who draws a form

extension Order {
  /// What is true of each key that the network may give, by the commands of the clock.
  static let forms = Record([
    "commands": .list(
      Horology.Request.forms.map { form in
        let fields = form.facts.filter { $0.giver == .network }.map { Value.record($0.record) }
        return .record(Record(["command": .text(form.name), "fields": .list(fields)]))
      })
  ])
}

extension Fact {
  fileprivate var record: Record {
    Record([
      "key": .text(name), "allowed": .text(allowed), "required": .flag(isRequired),
      "help": option.map { .text($0.help.split(separator: "\n").joined(separator: " ")) },
      "argument": option?.argument.map { .text($0) },
    ])
  }
}

extension Record {
  /// Replaces a number of seconds since 1970, as `date +%s.%N` prints it, by the instant as text.
  fileprivate mutating func writeOut(_ key: Key<Instant>) {
    let last = Double(Instant.allowed.upperBound.seconds)
    guard let seconds = self[.real(key.name, 0...last, "seconds")] else { return }
    self[key] = Instant(microseconds: Int64((seconds * 1e6).rounded()))
  }
}

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

  func payload(id: String?) -> String {
    Record(["id": id.map { .text($0) }, "status": .text("refused")]).merging(record).json
  }
}

/// Reads commands. Rejects those that must not be carried out: expired, or received before.
struct CommandReader {
  /// Number of ids remembered. A command that may be delivered again later needs `expires`.
  private static let mostIDs = 1024

  /// How far ahead an instant may be: for so long the relay keeps them.
  private static let furthest = Duration.seconds(600)

  /// The oldest first.
  private var ids: [String] = []

  /// - Parameters:
  ///   - payload: the command as JSON, no larger than `Order.largestPayload`.
  ///   - clockIsUsed: whether the announcer is known to say the time by its clock.
  ///   - known: keys of the command that count instead of those in the payload.
  mutating func read(
    _ payload: [UInt8], at now: Instant, clockIsUsed: Bool, with known: Record = Record()
  ) throws(Rejection) -> Order {
    guard let text = String(validating: payload, as: UTF8.self) else {
      throw Rejection(.json, "it is not JSON: it is not UTF-8")
    }
    let order = try Order(payload: text, with: known)
    if let flaw = flaw(of: order, at: now, clockIsUsed) { throw order.rejection(flaw) }
    if let id = order.id { ids = ids.suffix(Self.mostIDs - 1) + [id] }
    return order
  }

  /// Reads a command again that waited when the relay ended.
  mutating func restore(_ text: String) -> Order? {
    guard let order = try? Order(payload: text, with: Record()), order.at != nil else { return nil }
    if let id = order.id { ids.append(id) }
    return order
  }

  private func flaw(of order: Order, at now: Instant, _ clockIsUsed: Bool) -> Rejection? {
    // By a wrong clock, an old command may look new.
    if !clockIsUsed, order.at != nil || order.expires != nil {
      let key = order.at != nil ? "at" : "expires"
      return Rejection(
        .untrusted, "the clock is not known to be right, so '\(key)' cannot be judged")
    }
    if let expires = order.expires, expires <= max(now, order.at ?? now) {
      return Rejection(.expired, "it was to be carried out before \(expires.rfc3339)")
    }
    if let instant = order.at {
      if instant <= now {
        return Rejection(.past, "its instant \(instant.rfc3339) has passed")
      }
      if instant - now > Self.furthest {
        return Rejection(
          .future, "its instant \(instant.rfc3339) is too far ahead: ten minutes are allowed")
      }
    }
    guard let id = order.id, ids.contains(id) else { return nil }
    return Rejection(.repeated, "a command with this id has come before")
  }

  mutating func forget(_ order: Order) {
    ids.removeAll { $0 == order.id }
  }
}
