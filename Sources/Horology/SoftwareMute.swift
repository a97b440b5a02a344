/// A silence that a person has asked for by a command. As in quiet hours, nothing sounds by itself,
/// and a person who asks for the time gets an answer. The switch wins over it.
public enum SoftwareMute: Hashable, Sendable {
  case off
  /// Announcements that begin by themselves before this instant are silent.
  case until(Instant)
  /// The next occasion that would sound is silent.
  case next
  /// Until it is taken back.
  case on

  /// The longest duration that can be asked for: 31 days. `on` is for a longer silence.
  public static let longest = Duration.seconds(31 * 86_400)

  public var key: String {
    switch self {
    case .off: "off"
    case .until: "until"
    case .next: "next"
    case .on: "on"
    }
  }

  /// The instant at which it ends; nil if it names none.
  public var end: Instant? { if case .until(let end) = self { end } else { nil } }

  /// True if an announcement that begins at this instant is silent, but would sound otherwise.
  func silences(_ instant: Instant) -> Bool {
    switch self {
    case .off: false
    case .until(let end): instant < end
    case .next, .on: true
    }
  }
}
