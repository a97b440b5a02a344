/// What shows whether the service is really alive. The loop's own callback reads it, after
/// everything else that was due.
public struct Vitals: Hashable, Sendable {
  /// The instant for which the next wake-up is armed; nil if none is.
  public var wakeUp: Instant?
  /// False if a switch or a button is configured that neither answers nor is known to be lost.
  public var contactsAnswer: Bool
  /// When the converter last took frames, or when something began to play; nil if nothing plays.
  public var lastTaken: Uptime?

  public init(wakeUp: Instant?, contactsAnswer: Bool, lastTaken: Uptime?) {
    self.wakeUp = wakeUp
    self.contactsAnswer = contactsAnswer
    self.lastTaken = lastTaken
  }

  /// A device that is slow to open may hold up the loop for this long: that is normal.
  static let leeway = Duration.seconds(5)

  /// Why the service is not alive; nil if it is.
  public func ailment(at now: Now) -> Ailment? {
    guard let wakeUp, now.instant - wakeUp <= Self.leeway else { return .noWakeUp }
    if !contactsAnswer { return .contactSilent }
    if let lastTaken, now.uptime - lastTaken > Self.leeway { return .speakerStalled }
    return nil
  }
}

/// Why the service is not alive, though its loop turns. The raw value is for programs.
public enum Ailment: String, CustomStringConvertible, Sendable {
  case noWakeUp = "no_wake_up"
  case contactSilent = "contact_silent"
  case speakerStalled = "speaker_stalled"

  /// A few words that follow a colon.
  public var description: String {
    switch self {
    case .noWakeUp: "no wake-up is armed, or it was missed"
    case .contactSilent: "the switch or the button neither answers nor is known to be lost"
    case .speakerStalled: "the speaker takes no sound"
    }
  }
}
