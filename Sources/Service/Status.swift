import Basics
import Horology
import Sound

/// How the clock is, for whoever looks: by itself, or through the bus from the running service.
public struct Status: Hashable, Sendable {
  /// The occasion that is next decided.
  public struct Next: Hashable, Sendable {
    public var instant: Instant
    /// As ISO 8601 with the offset.
    public var local: String
    /// The tune by its name, or `none`.
    public var chime: String
    /// What is spoken; empty for nothing.
    public var text: String
    /// Why it will not sound, as a key and in words; nil if it will.
    public var refusal: Refusal?
  }

  /// Why something does not sound.
  public struct Refusal: Hashable, Sendable {
    public var key: String
    public var words: String
  }

  public var zone: String
  public var voice: String
  /// An ALSA device, or a file, as it is set.
  public var device: String
  /// The sound card that plays instead of it, for it cannot be had; empty if it plays itself.
  public var substitute = ""
  /// In dB.
  public var volume: Double
  public var next: Next
  public var mute: SoftwareMute
  /// A key of `Ringer`; empty if nobody has looked.
  public var ringer: String
  /// Why the switch cannot be read; empty if it can.
  public var ringerError: String
  /// True if the switch, as it is, silences.
  public var isSilencedBySwitch: Bool
  public var trust: String
  /// A key of `ClockState.Basis`.
  public var clockBasis: String
  public var clockWords: String
  /// In seconds; nil if it may be anything.
  public var clockUncertainty: Double?
  /// What sounds now; empty for nothing.
  public var playing: String
  /// In microseconds, of the last announcement; nil if there was none.
  public var lastOnsetError: Int64?
  /// The last thing that went wrong, with its time; empty if nothing did.
  public var lastError: String

  public var speaker: String { Self.speaker(device, substitute) }

  /// What plays, as in `plughw:CARD=DAC,DEV=0 instead of default`.
  static func speaker(_ device: String, _ substitute: String) -> String {
    substitute.isEmpty ? device : "\(substitute) instead of \(device)"
  }

  /// What is seen without a service.
  /// - Throws: `Fault` if the voice has no text for the next occasion.
  public init(
    _ configuration: Configuration, _ composer: Composer, zone: any Zone, clock: ClockState,
    at instant: Instant
  ) throws(Fault) {
    let settings = configuration.announcer
    let occasion = Schedule(interval: settings.interval, zone: zone).next(after: instant)
    self.init(configuration, clock, zone: zone)
    next = try Self.next(
      occasion, composer, settings, Rules(settings, trust: clock.trust).refusal(of: occasion))
  }

  /// What the service knows of itself.
  init(
    _ configuration: Configuration, _ composer: Composer, _ announcer: Announcer,
    clock: ClockState
  ) {
    self.init(configuration, clock, zone: announcer.zone)
    trust = announcer.trust.rawValue
    let occasion = announcer.next
    next =
      (try? Self.next(
        occasion, composer, announcer.settings, announcer.refusal(of: occasion))) ?? next
    mute = announcer.mute
    ringer = announcer.ringer.key
    if case .lost(let why) = announcer.ringer { ringerError = why }
    isSilencedBySwitch = announcer.isSilencedBySwitch
    if let announcement = announcer.playing {
      let text = try? composer.text(of: announcement.time)
      playing = text ?? announcement.time.dateTime.timeOfDay
    }
  }

  private init(_ configuration: Configuration, _ clock: ClockState, zone: any Zone) {
    self.zone = zone.name
    voice = configuration.voice
    device = configuration.device
    volume = configuration.volume
    next = Next(instant: Instant(seconds: 0), local: "", chime: "none", text: "", refusal: nil)
    mute = .off
    (ringer, ringerError, isSilencedBySwitch) = ("", "", false)
    trust = clock.trust.rawValue
    clockBasis = clock.basis.key
    clockWords = clock.words
    clockUncertainty = clock.uncertainty?.inSeconds
    (playing, lastError) = ("", "")
  }

  private static func next(
    _ occasion: Occasion, _ composer: Composer, _ settings: AnnouncerSettings,
    _ refusal: SkipReason?
  ) throws(Fault) -> Next {
    Next(
      instant: occasion.instant, local: occasion.civil.description,
      chime: settings.chime(at: occasion.civil)?.name ?? "none",
      text: settings.speaks(at: occasion.civil) ? try composer.text(of: occasion.civil) : "",
      refusal: refusal.map { Refusal(key: $0.key, words: $0.description) })
  }
}

// MARK: On the bus

extension Status {
  /// As the properties of org.clocksmith.Announcer1. What is not there is empty, 0 or, of an
  /// uncertainty, not a number; an end that never comes is the largest number.
  var properties: [String: BusValue] {
    [
      "Zone": .text(zone), "Voice": .text(voice), "Device": .text(device),
      "Substitute": .text(substitute), "Volume": .number(volume),
      "NextOccasion": .unsigned(next.instant.microseconds), "NextLocal": .text(next.local),
      "NextChime": .text(next.chime), "NextText": .text(next.text),
      "NextSounds": .flag(next.refusal == nil),
      "NextReasonKey": .text(next.refusal?.key ?? ""),
      "NextReason": .text(next.refusal?.words ?? ""),
      "Muted": .flag(mute != .off || isSilencedBySwitch), "MutedBy": .text(mutedBy),
      "MutedUntil": .unsigned(mutedUntil),
      "Switch": .text(ringer), "SwitchError": .text(ringerError),
      "Trust": .text(trust), "ClockBasis": .text(clockBasis), "ClockWords": .text(clockWords),
      "ClockUncertainty": .number(clockUncertainty ?? .nan),
      "Playing": .text(playing), "LastOnsetError": .signed(lastOnsetError ?? .min),
      "LastError": .text(lastError),
    ]
  }

  /// The properties that change all the time, and of whose changes nobody is told.
  static let flowing: Set = ["ClockWords", "ClockUncertainty"]

  /// The switch wins.
  private var mutedBy: String {
    if isSilencedBySwitch { return "switch" }
    switch mute {
    case .off: return ""
    case .next: return "next"
    case .until, .on: return "person"
    }
  }

  private var mutedUntil: UInt64 {
    switch mute {
    case .off: 0
    case .next: 0
    case .until(let end): end.microseconds
    case .on: .max
    }
  }

  /// Nil if a property is missing, as of a service of another version.
  init?(properties: [String: BusValue]) {
    func text(_ name: String) -> String? {
      if case .text(let text)? = properties[name] { text } else { nil }
    }
    guard let zone = text("Zone"), let voice = text("Voice"), let device = text("Device"),
      let substitute = text("Substitute"),
      case .number(let volume)? = properties["Volume"],
      case .unsigned(let instant)? = properties["NextOccasion"], let local = text("NextLocal"),
      let chime = text("NextChime"), let nextText = text("NextText"),
      let key = text("NextReasonKey"),
      let words = text("NextReason"), let mutedBy = text("MutedBy"),
      case .unsigned(let mutedUntil)? = properties["MutedUntil"],
      let ringer = text("Switch"), let ringerError = text("SwitchError"),
      let trust = text("Trust"), let basis = text("ClockBasis"), let clock = text("ClockWords"),
      case .number(let uncertainty)? = properties["ClockUncertainty"],
      let playing = text("Playing"), case .signed(let onset)? = properties["LastOnsetError"],
      let lastError = text("LastError")
    else { return nil }
    (self.zone, self.voice, self.volume) = (zone, voice, volume)
    (self.device, self.substitute) = (device, substitute)
    next = Next(
      instant: Instant(microseconds: instant), local: local, chime: chime, text: nextText,
      refusal: key.isEmpty ? nil : Refusal(key: key, words: words))
    switch mutedUntil {
    case 0: mute = mutedBy == "next" ? .next : .off
    case .max: mute = .on
    default: mute = .until(Instant(microseconds: mutedUntil))
    }
    (self.ringer, self.ringerError) = (ringer, ringerError)
    isSilencedBySwitch = mutedBy == "switch"
    (self.trust, clockBasis, clockWords) = (trust, basis, clock)
    clockUncertainty = uncertainty.isNaN ? nil : uncertainty
    self.playing = playing
    lastOnsetError = onset == .min ? nil : onset
    self.lastError = lastError
  }
}

extension Instant {
  /// Since 1970; 0 before.
  var microseconds: UInt64 { UInt64(max(nanoseconds / 1000, 0)) }

  fileprivate init(microseconds: UInt64) {
    self.init(nanoseconds: Int64(clamping: min(microseconds, .max / 1000) * 1000))
  }
}

// MARK: What is told

extension Report {
  /// The signal that a report makes, with its arguments; nil if it makes none.
  func signal(_ composer: Composer) -> (name: String, [BusValue])? {
    switch self {
    case .announced(let announcement, let timing):
      let text = try? composer.text(of: announcement.time)
      return (
        "Announced",
        [
          .unsigned(announcement.anchor.microseconds), .text(text ?? ""),
          .signed(timing.onsetError.map { $0.nanoseconds / 1000 } ?? .min),
        ]
      )
    case .skipped(let first, let last, let reason):
      return (
        "Skipped",
        [
          .unsigned(first.instant.microseconds), .unsigned(last.instant.microseconds),
          .text(reason.key), .text(reason.description),
        ]
      )
    default: return nil
    }
  }
}

extension Notice {
  /// The signal that every notice makes, with its arguments.
  var signal: (name: String, [BusValue]) {
    (
      "Noticed",
      [
        .text(event.rawValue), .byte(UInt8(priority.rawValue)), .text(message), .fields(fields),
      ]
    )
  }
}
