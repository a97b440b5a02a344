/// Something that is to sound once.
public struct Announcement: Hashable, Sendable {
  public enum Cause: Hashable, Sendable {
    case occasion(Occasion)
    case request
    /// Words about a timer, the interval or an alarm.
    case timer(TimerWords)
    /// The machine has started (`at_start`). A signal says that the clock lives.
    case start
    /// Somebody pressed the button, and the clock is not trusted. It says so, or a signal does.
    case untrusted

    var isOccasion: Bool { if case .occasion = self { true } else { false } }
  }

  public let id: SoundingID
  public let cause: Cause
  /// The time that is spoken. If other words or a signal are heard, the time at which they are.
  public let time: CivilTime
  public let anchor: Instant
  /// The latest instant for the anchor frame to leave the converter. If it cannot be met, the
  /// announcement does not begin. Nil if it may be late.
  public let latest: Instant?
  public let programme: Programme
  /// True if there was no time left for the chime that belongs to it.
  public let isShortened: Bool
  /// The most that it may sound after its anchor, even if it begins at `latest`; nil for no limit.
  public let room: Duration?
  /// How loud, in dB at most 0, by the rules for the time at which it sounds.
  public internal(set) var decibels = 0.0

  public init(
    _ id: SoundingID, cause: Cause, time: CivilTime, anchor: Instant, latest: Instant? = nil,
    programme: Programme = .wordsAlone, isShortened: Bool = false,
    room: Duration? = nil
  ) {
    self.room = room
    self.id = id
    self.cause = cause
    self.time = time
    self.anchor = anchor
    self.latest = latest
    self.programme = programme
    self.isShortened = isShortened
  }

  /// The earliest instant at which it is heard. Words before a chime may begin a little later.
  public var begins: Instant { anchor - programme.lead }
}
