import Basics
import Daemon
import Devices
import Horology
import Sound

/// The state of the clock that `status` and the bus show, with the running service or without one.
public struct Status: Hashable, Sendable {
  /// The occasion that comes next.
  public struct Next: Hashable, Sendable {
    public var instant: Instant
    /// As ISO 8601 with the offset.
    public var local: String
    /// The tune by its name, or `none`.
    public var chime: String
    /// The words; empty for none.
    public var text: String
    /// Why it will not sound, as a key and in words; nil if it will.
    public var refusal: Refusal?
  }

  /// Why something does not sound.
  public struct Refusal: Hashable, Sendable {
    public var key: String
    public var words: String
  }

  public var zone = ""
  public var voice = ""
  /// The configured ALSA device, or a file.
  public var device = ""
  /// The sound card that plays because the device cannot be opened; empty if the device plays.
  public var substitute = ""
  /// In dB.
  public var volume = 0.0
  public var next = Next(
    instant: Instant(seconds: 0), local: "", chime: "none", text: "", refusal: nil)
  public var mute = SoftwareMute.off
  /// A key of `Ringer`; empty if it is not known.
  public var ringer = ""
  /// Why the switch cannot be read; empty if it can.
  public var ringerError = ""
  /// True if the switch silences the clock now.
  public var isSilencedBySwitch = false
  public var trust = ""
  /// A key of `ClockState.Basis`.
  public var clockBasis = ""
  /// True if a request for the time is answered by this clock: it is trusted, or the owner wants
  /// that.
  public var clockIsUsed = false
  public var clockWords = ""
  /// In seconds; nil if it may be anything.
  public var clockUncertainty: Double?
  /// The words of the announcement that is heard now; empty for none.
  public var playing = ""
  /// By number.
  public var timers: [Timer] = []
  /// None, or the one that runs.
  public var intervals: [Interval] = []
  /// By number.
  public var alarms: [Alarm] = []
  /// In microseconds, of the last announcement; nil if there was none.
  public var lastOnsetError: Int64?
  /// The last thing that went wrong, with its time; empty if nothing did.
  public var lastError = ""
  /// Why what is set at run time cannot be saved, and what to do about it; empty if it can, or if
  /// an older service does not tell.
  public var stateError = ""
  /// What became of a saved state that could not be used at the start; empty if it could, or if an
  /// older service does not tell.
  public var stateLoss = ""
  /// The `stateError` of a service that was started by hand. It has said so at its start.
  public static let hasNoStateFolder = "STATE_DIRECTORY names no folder for it"

  public var speaker: String { Self.speaker(device, substitute) }

  /// The device that plays, as in `plughw:CARD=DAC,DEV=0 instead of default`.
  static func speaker(_ device: String, _ substitute: String) -> String {
    substitute.isEmpty ? device : "\(substitute) instead of \(device)"
  }

  /// The status without a running service.
  /// - Throws: `Fault` if the voice has no text for the next occasion.
  public init(
    _ configuration: Configuration, _ composer: Composer, zone: any Zone, clock: ClockState,
    at instant: Instant
  ) throws(Fault) {
    let settings = configuration.announcer
    let occasion = Schedule(interval: settings.interval, zone: zone).next(after: instant)
    self.init(configuration, clock, zone: zone)
    next = try Next(Rules(settings, trust: clock.trust).outlook(of: occasion), composer)
  }

  /// The status of the running service.
  init(
    _ configuration: Configuration, _ composer: Composer, _ announcer: Announcer,
    clock: ClockState
  ) {
    self.init(configuration, clock, zone: announcer.zone)
    trust = announcer.trust.rawValue
    next = (try? Next(announcer.outlook, composer)) ?? next
    mute = announcer.mute
    ringer = announcer.ringer.key
    if case .lost(let why) = announcer.ringer { ringerError = why }
    isSilencedBySwitch = announcer.isSilencedBySwitch
    timers = announcer.timers.countdowns.map { Timer($0) }
    intervals = announcer.timers.interval.map { [Interval($0)] } ?? []
    alarms = announcer.alarms.alarms.map { Alarm($0, announcer.refusal(of: $0)) }
    playing = announcer.sounding.map { composer.words(of: $0) } ?? ""
  }

  private init(_ configuration: Configuration, _ clock: ClockState, zone: any Zone) {
    self.zone = zone.name
    voice = configuration.voice
    device = configuration.device
    volume = configuration.volume
    trust = clock.trust.rawValue
    clockBasis = clock.basis.key
    clockIsUsed = Rules(configuration.announcer, trust: clock.trust).answersByClock(clock.trust)
    clockWords = clock.words
    clockUncertainty = clock.uncertainty?.inSeconds
  }

  /// Empty, for `init(properties:)` to fill.
  private init() {}
}

extension Status.Next {
  /// - Throws: `Fault` if the voice has no text for it.
  fileprivate init(_ outlook: Outlook, _ composer: Composer) throws(Fault) {
    let occasion = outlook.occasion
    self.init(
      instant: occasion.instant, local: occasion.civil.description,
      chime: outlook.tune?.name ?? "none",
      text: outlook.speaks ? try composer.text(of: occasion.civil) : "",
      refusal: outlook.refusal.map { .init(key: $0.key, words: $0.description) })
  }
}

extension Composer {
  /// The words of an announcement, or the time of day if the voice has no text for it.
  func words(of announcement: Announcement) -> String {
    (try? text(of: announcement)) ?? announcement.time.dateTime.timeOfDay
  }
}

// MARK: On the bus

extension Status {
  /// A property of org.clocksmith.Announcer1, and how it is written and read.
  ///
  /// A missing value is empty or 0; a missing uncertainty is not a number, and a missing onset
  /// error is the smallest number. An end that never comes is the largest number.
  private struct Property {
    let name: String
    let tell: (Status) -> BusValue
    /// False if the value is of another type.
    let read: (inout Status, BusValue) -> Bool

    /// A property that is computed from others, so it is not read.
    static func derived(_ name: String, _ tell: @escaping (Status) -> BusValue) -> Property {
      Property(name: name, tell: tell, read: { _, _ in true })
    }

    static func plain<Value: BusType>(
      _ name: String, _ place: WritableKeyPath<Status, Value>
    ) -> Property {
      plain(name, { $0[keyPath: place] }, { $0[keyPath: place] = $1 })
    }

    static func plain<Value: BusType>(
      _ name: String, _ tell: @escaping (Status) -> Value,
      _ read: @escaping (inout Status, Value) -> Void
    ) -> Property {
      Property(
        name: name, tell: { tell($0).busValue },
        read: { status, value in
          guard let value = Value(value) else { return false }
          read(&status, value)
          return true
        })
    }
  }

  /// In the order in which they are read.
  private nonisolated(unsafe) static let table: [Property] = [
    .plain("Zone", \.zone),
    .plain("Voice", \.voice),
    .plain("Device", \.device),
    .plain("Substitute", \.substitute),
    .plain("Volume", \.volume),
    .plain(
      "NextOccasion", { $0.next.instant.microseconds },
      { $0.next.instant = Instant(microseconds: $1) }),
    .plain("NextLocal", \.next.local),
    .plain("NextChime", \.next.chime),
    .plain("NextText", \.next.text),
    .derived("NextSounds") { .flag($0.next.refusal == nil) },
    .plain(
      "NextReasonKey", { $0.next.refusal?.key ?? "" },
      { $0.next.refusal = $1.isEmpty ? nil : Refusal(key: $1, words: "") }),
    .plain("NextReason", { $0.next.refusal?.words ?? "" }, { $0.next.refusal?.words = $1 }),
    .derived("Muted") { .flag($0.mute != .off || $0.isSilencedBySwitch) },
    .plain(
      "MutedBy", { $0.mutedBy }, { $0.isSilencedBySwitch = $1 == "switch" }),
    .plain(
      "SoftwareMute", { $0.mute.key },
      { $0.mute = $1 == "next" ? .next : $1 == "on" ? .on : .off }),
    .plain(
      "MutedUntil", { $0.mutedUntil },
      { if $1 != 0 && $1 != .max { $0.mute = .until(Instant(microseconds: $1)) } }),
    .plain("Switch", \.ringer),
    .plain("SwitchError", \.ringerError),
    .plain("Trust", \.trust),
    .plain("ClockBasis", \.clockBasis),
    .plain("ClockIsUsed", \.clockIsUsed),
    .plain("ClockWords", \.clockWords),
    .plain(
      "ClockUncertainty", { $0.clockUncertainty ?? .nan },
      { $0.clockUncertainty = $1.isNaN ? nil : $1 }),
    .plain("Playing", \.playing),
    .plain("Timers", \.timers),
    .plain("Intervals", \.intervals),
    .plain("Alarms", \.alarms),
    .plain(
      "LastOnsetError", { $0.lastOnsetError ?? .min },
      { $0.lastOnsetError = $1 == .min ? nil : $1 }),
    .plain("LastError", \.lastError),
    .plain("StateError", \.stateError),
    .plain("StateLoss", \.stateLoss),
  ]

  var properties: [String: BusValue] {
    Dictionary(uniqueKeysWithValues: Self.table.map { ($0.name, $0.tell(self)) })
  }

  /// Properties that a service of an older version lacks. Their values stay as they are without it.
  private static let later: Set = ["StateError", "StateLoss"]

  /// Properties that change all the time. `PropertiesChanged` leaves them out.
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
    case .off, .next: 0
    case .until(let end): end.microseconds
    case .on: .max
    }
  }

  /// Nil if a property is missing or of another type, as from a service of another version.
  init?(properties: [String: BusValue]) {
    self.init()
    for property in Self.table {
      if let value = properties[property.name] {
        guard property.read(&self, value) else { return nil }
      } else if !Self.later.contains(property.name) {
        return nil
      }
    }
  }
}

extension Instant {
  /// Since 1970; 0 before.
  public var microseconds: UInt64 { UInt64(max(nanoseconds / 1000, 0)) }

  /// Since 1970; values that are too large become the latest instant.
  public init(microseconds: UInt64) {
    self.init(nanoseconds: Int64(min(microseconds, UInt64(Int64.max / 1000))) * 1000)
  }
}
