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
    if text == "all" {
      self = .all
      return
    }
    var events: PushEvents = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      let words = word.split(separator: " ")
      guard words.count == 1, let known = Self.names.first(where: { $0.name == words[0] }) else {
        return nil
      }
      events.insert(known.event)
    }
    self = events
  }

  /// As in `timer,alarm`, or `message`.
  public var text: String {
    if self == .message { return "message" }
    return Self.names.filter { contains($0.event) }.map(\.name).joined(separator: ",")
  }
}
