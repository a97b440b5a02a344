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
    guard let wakeUp else { return .noWakeUp }
    let late = now.instant - wakeUp
    if late > Self.leeway { return .wakeUpMissed(by: late) }
    if !contactsAnswer { return .contactSilent }
    if let lastTaken, now.uptime - lastTaken > Self.leeway {
      return .speakerStalled(for: now.uptime - lastTaken)
    }
    return nil
  }
}

/// Why the service is not alive, though its loop turns.
public enum Ailment: Hashable, Sendable {
  case noWakeUp
  case wakeUpMissed(by: Duration)
  case contactSilent
  case speakerStalled(for: Duration)

  /// For programs: it does not change.
  public var key: String {
    switch self {
    case .noWakeUp: "no_wake_up"
    case .wakeUpMissed: "wake_up_missed"
    case .contactSilent: "contact_silent"
    case .speakerStalled: "speaker_stalled"
    }
  }
}

extension Ailment: CustomStringConvertible {
  /// A few words that follow a colon.
  public var description: String {
    switch self {
    case .noWakeUp: "no wake-up is armed"
    case .wakeUpMissed(let span): "the wake-up was missed \(span.inWords) ago"
    case .contactSilent: "the switch or the button neither answers nor is known to be lost"
    case .speakerStalled(let span): "the speaker has taken no sound for \(span.inWords)"
    }
  }
}
