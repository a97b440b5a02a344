/// When the hour is spoken, relative to its blows.
public enum VoiceAtHour: String, CaseIterable, Sendable {
  case before, after, none
}

/// When the voice says how much of a timer is left.
public enum TellsLeft: String, CaseIterable, Sendable {
  /// At half its length.
  case half
  /// One minute before zero.
  case minute
}

/// How the service ends its sounds when it is stopped.
public enum AtStop: String, CaseIterable, Sendable {
  /// It is faded out at once.
  case fade
  /// A sounding that is already heard plays to its end.
  case finish
}

/// What is heard at the first start of the service since the machine started.
public enum AtStart: String, CaseIterable, Sendable {
  case signal
  /// The time, as if the button was pressed.
  case time
  case none
}

/// The owner's settings for when the clock sounds.
public struct AnnouncerSettings: Hashable, Sendable {
  public var interval = Interval.quarter
  /// The tune at the hour; nil for none.
  public var chime: Tune?
  /// The tune at the other quarters; nil for none.
  public var chimeQuarters: Tune?
  public var voiceAtHour = VoiceAtHour.after
  public var quiet = QuietHours.none
  public var quieter = VolumeRules.none
  public var untrusted = UntrustedPolicy.silent
  /// False if the owner has not said in which zone the clock is: then it does not know the time.
  public var hasZone = true
  public var whenLost = LostSwitchPolicy.mute
  public var silences = SwitchScope.everything
  public var atStart = AtStart.signal
  public var atStop = AtStop.fade
  /// How long the speaker runs on silence before a sounding that begins at once: an amplifier that
  /// was asleep swallows the first syllable.
  public var leadIn = Duration.milliseconds(400)
  /// How much earlier than its instant an anchor leaves the converter.
  public var latencyOffset = Duration.zero

  public var ringLimit = Duration.seconds(900)
  public var tellsLeft: Set<TellsLeft> = []
  /// The voice says the phases of rounds, after their signals.
  public var saysPhases = false
  public var alarms: [AlarmPlan] = []
  /// The voice has words for timers.
  public var saysTimers = false
  /// No phrase takes the voice longer, names of timers aside. It is the room that is left for one
  /// before the next occasion.
  public var longestPhrase = Duration.seconds(5)

  public init() {}

  /// Takes what the voice of others can say, which is the same voice.
  public mutating func setVoice(of other: AnnouncerSettings) {
    (saysTimers, longestPhrase) = (other.saysTimers, other.longestPhrase)
  }

  /// The tune at an occasion that shows `time`; nil for none.
  public func chime(at time: CivilTime) -> Tune? {
    let tune = time.minute == 0 ? chime : chimeQuarters
    return tune?.movement(at: time) == nil ? nil : tune
  }

  /// True if the time is spoken at an occasion that shows `time`.
  public func speaks(at time: CivilTime) -> Bool {
    time.minute != 0 || voiceAtHour != .none
  }

  /// From the last word to the first note, where the words come first.
  private static let pauseBeforeChime = Duration.seconds(1)

  /// The programme of an occasion that shows `time`, if it may sound.
  public func programme(at time: CivilTime, trust: ClockTrust) -> Programme {
    // With a clock that may be wrong, `untrusted = chime` allows blows only.
    let speaks = speaks(at: time) && !(trust == .untrusted && untrusted == .chime)
    guard let movement = chime(at: time)?.movement(at: time) else {
      return speaks ? .wordsAlone : Programme(blows: [], words: .none)
    }
    let blows = movement.blows(at: time)
    let words: Programme.Words =
      if !speaks {
        .none
      } else if time.minute == 0 && voiceAtHour == .before {
        .before(Self.pauseBeforeChime, longest: longestPhrase)
      } else {
        .at(max(blows.last?.offset ?? .zero, .zero) + movement.rest)
      }
    return Programme(blows: blows, words: words)
  }
}
