import Basics

/// What a device is shown, as APNs takes it.
struct APNsPayload: Hashable {
  /// How much it disturbs, as UNNotificationInterruptionLevel has it.
  enum Level: String {
    case passive, active
    case timeSensitive = "time-sensitive"
  }

  /// What the owner has set for all of them.
  struct Look: Hashable, Sendable {
    /// Of the app; nil for silence.
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

  /// What only wakes the app, and shows nothing: APNs wants a kind of its own for it.
  var isBackground: Bool { message.event == .occasion }

  /// As `apns-push-type` has it.
  var type: String { isBackground ? "background" : "alert" }

  /// The hour is there to be seen, what rings is there to be heard.
  var level: Level {
    switch message.event {
    case .timer, .alarm: .timeSensitive
    case .hour, .occasion: .passive
    default: .active
    }
  }

  /// 10 is at once; 5 is when it suits the battery.
  var priority: Int { level == .passive ? 5 : 10 }

  /// At most 64 bytes of whole characters.
  var collapse: String {
    var text = message.collapse
    while text.utf8.count > Self.mostBytesOfCollapse { text.removeLast() }
    return text
  }

  /// The body of a request: 4096 bytes at most. Words that are too long end in an ellipsis.
  /// - Throws: `Fault` if it is too long without any words.
  func text() throws(Fault) -> String {
    let whole = line(body: message.body, hasFields: true)
    if whole.utf8.count <= Self.mostBytes { return whole }
    var body = Substring(message.body)
    while !body.isEmpty {
      let text = line(body: body + "\u{2026}", hasFields: false)
      let excess = text.utf8.count - Self.mostBytes
      if excess <= 0 { return text }
      // JSON may write a character as several bytes: the rest is cut in the next turn.
      body = body.dropLast(max(excess / 6, 1))
    }
    throw Fault("the message", "it has more than \(Self.mostBytes) bytes without any words")
  }

  private func line(body: some StringProtocol, hasFields: Bool) -> String {
    let line = JSONLine()
    line.set("aps", isBackground ? wake : shown(body))
    line.set("event", message.kind)
    line.set("at", message.created.text)
    if hasFields {
      for (name, value) in message.fields.sorted(by: { $0.key < $1.key })
      where name != "aps" && name != "event" && name != "at" {
        line.set(name, value)
      }
    }
    return line.text
  }

  /// Nothing else may stand in it.
  private var wake: JSONLine {
    let aps = JSONLine()
    aps.set("content-available", 1)
    return aps
  }

  private func shown(_ body: some StringProtocol) -> JSONLine {
    let alert = JSONLine()
    alert.set("title", message.title)
    alert.set("body", String(body))
    let aps = JSONLine()
    aps.set("alert", alert)
    if let sound = look.sound, level != .passive { aps.set("sound", sound) }
    if let badge = look.badge { aps.set("badge", badge) }
    if look.wakesApp { aps.set("content-available", 1) }
    aps.set("interruption-level", level.rawValue)
    aps.set("thread-id", message.title)
    return aps
  }
}
