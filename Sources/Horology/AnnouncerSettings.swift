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
  /// How late a spoken time may still come.
  public var lateLimit = Duration.seconds(10)
  public var untrusted = UntrustedPolicy.silent
  public var whenLost = LostSwitchPolicy.mute
  public var silences = SwitchScope.everything
  public var atStop = AtStop.fade
  /// How long the speaker runs on silence before a sounding that begins at once: an amplifier that
  /// was asleep swallows the first syllable.
  public var leadIn = Duration.milliseconds(400)
  /// How much earlier than its instant an anchor leaves the converter.
  public var latencyOffset = Duration.zero

  /// How long a timer rings if nobody stops it.
  public var ringLimit = Duration.seconds(900)
  /// When the voice says how much of a timer is left.
  public var tellsLeft: Set<TellsLeft> = []
  /// The voice says the phases of rounds, after their signals.
  public var saysPhases = false
  /// The alarms of the configuration.
  public var alarms: [AlarmPlan] = []
  /// The voice has words for timers.
  public var saysTimers = false

  public init() {}

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
        .before(Self.pauseBeforeChime)
      } else {
        .at(max(blows.last?.offset ?? .zero, .zero) + movement.rest)
      }
    return Programme(blows: blows, words: words)
  }
}

/// Why something did not sound.
public enum SkipReason: Hashable, Sendable {
  case quietHours
  case nothingToSound
  case untrusted
  /// The switch is off.
  case muted
  /// The switch cannot be read, which mutes (`when_lost`).
  case switchLost
  /// A person has asked for silence for a while.
  case softwareMuted
  /// There was no time left for its chime, and it has no words.
  case tooLateForChime
  /// By how much the occasion was missed: after a suspend, or when the clock was set forward.
  case late(Duration)
  /// Another announcement had the speaker.
  case busy
  /// The request came so close to an occasion that the occasion answers it.
  case occasionIsNear
  /// The announcement could not be played, in the words of the device or the clips.
  case failed(String)
  case stopped(StopReason)
}

/// Why a sounding was stopped, before or while it was heard.
public enum StopReason: Hashable, Sendable {
  case clockSet
  /// The machine has slept.
  case slept
  /// The zone or the configuration has changed.
  case rulesChanged
  /// The switch was turned off.
  case muted
  /// The switch cannot be read, which silences (`when_lost`).
  case switchLost
  /// A person wants silence for a while.
  case softwareMuted
  /// A person wanted it to end.
  case byHand
  case serviceEnds
}

extension SkipReason: CustomStringConvertible {
  /// A few words that follow a colon.
  public var description: String {
    switch self {
    case .quietHours: "quiet hours"
    case .nothingToSound: "neither a chime nor the voice is set for it"
    case .untrusted: "the clock is not trusted (see 'untrusted' in the configuration)"
    case .muted: "the switch is off"
    case .switchLost: "the switch cannot be read (see 'when_lost' in the configuration)"
    case .softwareMuted: "it is muted ('clocksmith unmute' ends that)"
    case .late(let duration):
      "the clock passed it (set forward, or the machine slept); now \(duration.inWords) late"
    case .tooLateForChime: "there was no time left for its chime"
    case .busy: "another announcement had the speaker"
    case .occasionIsNear: "the next announcement is about to be made"
    case .failed(let why): why
    case .stopped(let reason): reason.description
    }
  }
}

extension StopReason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .clockSet: "the clock was set"
    case .slept: "the machine slept"
    case .rulesChanged: "the zone or the configuration was changed"
    case .muted: "the switch was put off"
    case .switchLost: "the switch cannot be read"
    case .softwareMuted: "it was muted"
    case .byHand: "it was stopped by hand"
    case .serviceEnds: "the service was stopped"
    }
  }
}

extension Duration {
  /// The duration as a person says it, in its two largest units: `7 min 28 s`, `3 h 5 min`.
  public var inWords: String {
    let total = nanoseconds / 1_000_000_000
    let units: [(Int64, String)] = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")]
    guard let largest = units.firstIndex(where: { total >= $0.0 }) else { return "0 s" }
    let (size, name) = units[largest]
    let first = "\(total / size) \(name)"
    guard largest + 1 < units.count else { return first }
    let (smaller, smallerName) = units[largest + 1]
    let rest = total % size / smaller
    return rest == 0 ? first : "\(first) \(rest) \(smallerName)"
  }

  /// Without a sign, to a tenth of a second: `12 ms`, `1.3 s`, and from a minute on in words.
  public var roughly: String {
    let span = magnitude
    if span < .milliseconds(950) { return "\((span.nanoseconds + 999_999) / 1_000_000) ms" }
    let tenths = (span.nanoseconds + 50_000_000) / 100_000_000
    return tenths < 600 ? "\(tenths / 10).\(tenths % 10) s" : span.inWords
  }
}
