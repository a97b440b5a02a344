import Basics
import Horology
import Vocabulary

/// The kinds of messages that an owner or a device chooses from.
public struct PushEvents: OptionSet, Hashable, Sendable {
  public let rawValue: Int64

  public init(rawValue: Int64) { self.rawValue = rawValue }

  public static let timer = PushEvents(rawValue: 1)
  public static let alarm = PushEvents(rawValue: 2)
  /// Speaker, switch, button, lamp, real-time clock or the service itself.
  public static let trouble = PushEvents(rawValue: 4)
  public static let clock = PushEvents(rawValue: 8)
  public static let hour = PushEvents(rawValue: 16)
  /// A person's message, by `clocksmith-relay push`. Nobody can opt out of it.
  static let message = PushEvents(rawValue: 32)
  /// An occasion is near: told ahead of it, for a phone that speaks by itself.
  public static let occasion = PushEvents(rawValue: 64)

  public static let all: PushEvents = [.timer, .alarm, .trouble, .clock, .hour, .occasion]
  /// Without the hour: 24 alerts a day are only for those who ask. Without the occasion, too.
  public static let usual: PushEvents = [.timer, .alarm, .trouble, .clock]

  private static let names: [(event: PushEvents, name: String)] = [
    (.timer, "timer"), (.alarm, "alarm"), (.trouble, "trouble"), (.clock, "clock"), (.hour, "hour"),
    (.occasion, "occasion"),
  ]

  static let allowed = "all, or some of \(names.map(\.name).joined(separator: ", "))"

  /// Reads `all`, or names with commas between them. Nil for anything else.
  public init?(text: String) {
    guard text != "all" else {
      self = .all
      return
    }
    self = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      let name = String(word.drop { $0 == " " })
      guard let known = Self.names.first(where: { $0.name == name }) else { return nil }
      insert(known.event)
    }
  }

  public var text: String {
    self == .message
      ? "message" : Self.names.filter { contains($0.event) }.map(\.name).joined(separator: ",")
  }
}

struct PushMessage: Hashable {
  var event = PushEvents.message
  /// The event of its notice, as in `alarm_rings`; `message` for a person's words, or `occasion`.
  var kind = ""
  var title = ""
  var body = ""
  var details = Record()
  /// On a screen, a later message with the same value replaces this one.
  var collapse = ""
  var created = Instant(microseconds: 0)
  var expires = Instant(microseconds: 0)

  static func words(_ words: String, title: String, at now: Instant) -> PushMessage {
    PushMessage(
      event: .message, kind: "message", title: title, body: words,
      collapse: "message \(now.microseconds)", created: now, expires: now + .seconds(86_400))
  }
}

extension PushMessage {
  private static let fields: [Field<Self>] = [
    Field(
      .integer("event", 1...127), { Int($0.event.rawValue) },
      set: { $0.event = PushEvents(rawValue: Int64($1)) }),
    Field(.text("kind"), \.kind), Field(.text("title"), \.title), Field(.text("body"), \.body),
    Field(.record("fields", { $0 }, { $0 }), \.details), Field(.text("collapse"), \.collapse),
    Field(.instant("created"), \.created), Field(.instant("expires"), \.expires),
  ]

  /// As the register keeps it.
  var json: String { Record(self, Self.fields).json }

  /// A text that is no message, which another program has written, has expired.
  init(json: String) {
    try? Record(json: json, path: "a message").fill(&self, Self.fields)
  }
}

extension PushMessage {
  /// What APNs and ntfy take, in bytes.
  private static let limit = 4096

  /// The JSON of this message. If it is too long, it has no details, and less of the title and of the
  /// words.
  func fitted(_ json: (Self) -> String) -> String {
    var message = self
    var excess: Int { json(message).utf8.count - Self.limit }
    guard excess > 0 else { return json(self) }
    (message.title, message.details) = (title.excerpt, Record())
    while excess > 0, message.body.count > 1 {
      // Few characters have more bytes than that. The last one tells that something is missing.
      message.body = message.body.dropLast(max(excess / 24, 1) + 1) + "…"
    }
    return json(message)
  }
}

extension PushMessage {
  /// Nil for a notice of the announcer that is not published.
  /// - Parameters:
  ///   - isReturn: true if the notice tells the end of a trouble.
  ///   - clock: the name of this clock.
  init?(
    notice event: JournalEvent, _ words: String, _ fields: [String: String], isReturn: Bool = false,
    clock: String, at now: Instant
  ) {
    var (body, collapse, life) = (words, event.key, Duration.seconds(86_400))
    /// As in `timer 3 2026-11-22T15:00:00Z`. The next timer may have the same number.
    func ring(_ what: String, _ number: String?) {
      collapse = [what, number, fields["DUE"]].compactMap { $0 }.joined(separator: " ")
      life = .seconds(3600)
    }
    switch event {
    case .timerElapsed, .timerMissed:
      self.event = .timer
      ring("timer", fields["TIMER"])
    case .alarmRings, .alarmMissed:
      self.event = .alarm
      ring("alarm", fields["ALARM"])
    case .trust: self.event = .clock
    case .announced:
      // The time on the wall, as in `LOCAL=2026-11-22T15:00:00+00:00`.
      let time = fields["LOCAL"]?.dropFirst(11).prefix(5) ?? ""
      guard fields["CAUSE"] == "occasion", time.hasSuffix(":00") else { return nil }
      self.event = .hour
      (body, collapse, life) = (String(time), "hour", .seconds(600))
    case _ where isReturn || event.isTrouble(fields): self.event = .trouble
    default: return nil
    }
    (kind, title, self.body) = (event.key, clock, body)
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) { details[name] = .text(value) }
    self.collapse = "\(collapse) \(clock)"
    (created, expires) = (now, now + life)
  }
}
