import Basics

/// The payload of a notification for APNs.
struct APNsPayload: Hashable {
  /// How much it disturbs: the values of UNNotificationInterruptionLevel.
  enum Level: String {
    case passive, active
    case timeSensitive = "time-sensitive"
  }

  /// The owner's settings for all notifications.
  struct Look: Hashable, Sendable {
    /// A sound of the app; nil for silence.
    var sound: String? = "default"
    /// The number on the app's icon; nil to leave it as it is.
    var badge: Int?
    /// Wakes the app as well.
    var wakesApp = false
  }

  /// APNs refuses more.
  static let mostBytes = 4096
  static let mostBytesOfCollapse = 64

  let message: PushMessage
  let look: Look

  /// True if it only wakes the app and shows nothing. APNs wants another push type for that.
  var isBackground: Bool { message.event == .occasion }

  /// The value of `apns-push-type`.
  var type: String { isBackground ? "background" : "alert" }

  /// Timers and alarms must be heard. The hour need only be seen.
  var level: Level {
    switch message.event {
    case .timer, .alarm: .timeSensitive
    case .hour, .occasion: .passive
    default: .active
    }
  }

  /// The value of `apns-priority`: 10 is at once, 5 is when it suits the battery.
  var priority: Int { level == .passive ? 5 : 10 }

  /// At most 64 bytes of whole characters.
  var collapse: String {
    var text = message.collapse
    while text.utf8.count > Self.mostBytesOfCollapse { text.removeLast() }
    return text
  }

  /// The body of a request, at most 4096 bytes. If it would be longer, the fields are left out; if
  /// that is not enough, the words end in an ellipsis.
  /// - Throws: `Fault` if it is too long without any words.
  func text() throws(Fault) -> String {
    for hasFields in [true, false] {
      let whole = line(body: message.body, hasFields: hasFields)
      if whole.utf8.count <= Self.mostBytes { return whole }
    }
    var body = Substring(message.body)
    while !body.isEmpty {
      let text = line(body: body + "\u{2026}", hasFields: false)
      let excess = text.utf8.count - Self.mostBytes
      if excess <= 0 { return text }
      // JSON may write a character as several bytes: cut few characters, then measure again.
      body = body.dropLast(max(excess / 6, 1))
    }
    throw Fault("the message", "it has more than \(Self.mostBytes) bytes without any words")
  }

  private func line(body: some StringProtocol, hasFields: Bool) -> String {
    var record = Record([
      "aps": .record(isBackground ? Self.wake : shown(String(body))), "event": .text(message.kind),
      "at": .text(message.created.rfc3339),
    ])
    if hasFields {
      for (name, value) in message.fieldsRecord.fields where record[name] == nil {
        record[name] = value
      }
    }
    return record.json
  }

  /// A background push may hold nothing else.
  private static let wake = Record(["content-available": .integer(1)])

  private func shown(_ body: String) -> Record {
    Record([
      "alert": .record(Record(["title": .text(message.title), "body": .text(body)])),
      "sound": level == .passive ? nil : look.sound.map { .text($0) },
      "badge": look.badge.map { .integer(Int64($0)) },
      "content-available": look.wakesApp ? .integer(1) : nil,
      "interruption-level": .text(level.rawValue), "thread-id": .text(message.title),
    ])
  }
}
