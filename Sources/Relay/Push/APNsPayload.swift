import Basics

struct APNsPayload: Hashable {
  /// How much it disturbs: the values of UNNotificationInterruptionLevel.
  enum Level: String {
    case passive, active
    case timeSensitive = "time-sensitive"
  }

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

  var text: String {
    var record = Record([
      "aps": .record(isBackground ? Self.wake : shown), "event": .text(message.kind),
      "at": .text(message.created.rfc3339),
    ])
    for (name, value) in message.fieldsRecord.fields where record[name] == nil {
      record[name] = value
    }
    // The fields may be long, and the words say the same.
    if record.json.utf8.count > Self.mostBytes {
      for name in message.fields.keys where name != "aps" { record[name] = nil }
    }
    return record.json
  }

  /// A background push may hold nothing else.
  private static let wake = Record(["content-available": .integer(1)])

  private var shown: Record {
    Record([
      "alert": .record(Record(["title": .text(message.title), "body": .text(message.body)])),
      "sound": level == .passive ? nil : look.sound.map { .text($0) },
      "badge": look.badge.map { .integer(Int64($0)) },
      "content-available": look.wakesApp ? .integer(1) : nil,
      "interruption-level": .text(level.rawValue), "thread-id": .text(message.title),
    ])
  }
}
