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

  /// The last announcement that has sounded.
  public struct Last: Hashable, Sendable {
    public let instant: Instant
    public let text: String
    /// Positive if it was late; nil if it was not measured.
    public let onsetError: Duration?
  }

  /// An alarm, and why it is or will be silent; nil if it rings.
  public struct Alarm: Hashable, Sendable {
    public let alarm: Horology.Alarm
    public let reason: String?
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
  /// As `ClockState.ends`.
  public var holdoverEnds: Instant?
  /// The words of the announcement that is heard now; empty for none.
  public var playing = ""
  /// By number.
  public var timers: [Countdown] = []
  /// None, or the one that runs.
  public var intervals: [IntervalTimer] = []
  /// By number.
  public var alarms: [Alarm] = []
  /// Nil if there was none since the start.
  public var last: Last?
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
    timers = announcer.timers.countdowns
    intervals = announcer.timers.interval.map { [$0] } ?? []
    alarms = announcer.alarms.alarms.map {
      Alarm(alarm: $0, reason: announcer.refusal(of: $0)?.description)
    }
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
    holdoverEnds = clock.ends
  }

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

// MARK: As a record

extension Status {
  /// A property of org.clocksmith.Announcer1, which is a key of the record, too.
  struct Property: Sendable {
    enum Change {
      case told
      /// It changes all the time, and `PropertiesChanged` leaves it out.
      case flowing
      /// A caller may set it.
      case settable
    }

    let name: String
    /// Its D-Bus type.
    let type: String
    let change: Change
    /// Nil if it is missing.
    let value: @Sendable (Status) -> Value?
    /// The records of a list, one after another: a thousand of them at once take half a megabyte.
    let eachRecord: (@Sendable (Status, (Record) -> Void) -> Void)?
    /// Compares what is meant, which takes less time than to write both.
    let isSame: @Sendable (Status, Status) -> Bool

    /// As `muted_by` for `MutedBy`.
    var key: String { Record.key(ofProperty: name) }

    init<Meaning: Equatable & Sendable>(
      _ name: String, _ type: String, _ key: Key<Meaning>, _ change: Change = .told,
      _ meaning: @escaping @Sendable (Status) -> Meaning?
    ) {
      (self.name, self.type, self.change) = (name, type, change)
      value = { meaning($0).map(key.write) }
      isSame = { meaning($0) == meaning($1) }
      eachRecord = nil
    }

    /// A list of records.
    /// - Parameter due: the next to come is first; those that are not due at any time are last.
    init<Element: Equatable & Sendable>(
      _ name: String, _ key: Key<[Element]>,
      due: @escaping @Sendable (Element) -> Instant? = { _ in nil },
      _ record: @escaping @Sendable (Element) -> Record,
      _ elements: @escaping @Sendable (Status) -> [Element]
    ) {
      (self.name, type, change) = (name, "aa{sv}", .told)
      let never = Instant(nanoseconds: .max)
      let sorted: @Sendable (Status) -> [Element] = { status in
        elements(status).sorted { (due($0) ?? never) < (due($1) ?? never) }
      }
      value = { key.write(sorted($0)) }
      isSame = { elements($0) == elements($1) }
      eachRecord = { status, body in for element in sorted(status) { body(record(element)) } }
    }

    /// A text that is missing if it is empty.
    static func text(
      _ name: String, _ key: Key<String>, _ change: Change = .told,
      _ text: @escaping @Sendable (Status) -> String
    ) -> Property {
      Property(name, "s", key, change) { text($0).isEmpty ? nil : text($0) }
    }
  }

  private enum Keys {
    static let next = Key<Next>.record("next", { $0.record }, Next.init)
    static let playing = Key<String>.text("playing")
    static let muted = Key<Bool>.flag("muted")
    static let mutedBy = Key<String>.text("muted_by")
    static let mutedUntil = Key<Instant>.instant("muted_until")
    static let softwareMute = Key<String>.text("software_mute")
    static let ringer = Key<String>.text("switch")
    static let ringerError = Key<String>.text("switch_error")
    static let trust = Key<String>.text("trust")
    static let clockBasis = Key<String>.text("clock_basis")
    static let clockIsUsed = Key<Bool>.flag("clock_is_used")
    static let clockWords = Key<String>.text("clock_words")
    static let clockUncertainty = Key<Double>.real(
      "clock_uncertainty", 0 ... .greatestFiniteMagnitude, "seconds")
    static let holdoverEnds = Key<Instant>.instant("holdover_ends")
    static let zone = Key<String>.text("zone")
    static let voice = Key<String>.text("voice")
    static let device = Key<String>.text("device")
    static let substitute = Key<String>.text("device_substitute")
    static let problems = Key<[String]>.texts("problems")
    static let last = Key<Last>.record("last", { $0.record }, Last.init)
    static let lastError = Key<String>.text("last_error")
    static let stateError = Key<String>.text("state_error")
    static let stateLoss = Key<String>.text("state_loss")
    static let timers = Key<[Countdown]>.records("timers", \.shown, Countdown.init)
    static let timerEnds = Key<Instant>.instant("timer_ends")
    static let intervals = Key<[IntervalTimer]>.records("intervals", \.shown, IntervalTimer.init)
    static let alarms = Key<[Alarm]>.records("alarms", \.record, Alarm.init)
    static let alarmRings = Key<Instant>.instant("alarm_rings")
  }

  /// In the order of the record.
  static let properties: [Property] = [
    Property("Next", "a{sv}", Keys.next) { $0.next },
    .text("Playing", Keys.playing) { $0.playing },
    Property("Muted", "b", Keys.muted) { $0.mute != .off || $0.isSilencedBySwitch },
    .text("MutedBy", Keys.mutedBy) { $0.mutedBy },
    Property("MutedUntil", "s", Keys.mutedUntil) {
      if case .until(let end) = $0.mute { end } else { nil }
    },
    .text("SoftwareMute", Keys.softwareMute) { $0.mute.key },
    .text("Switch", Keys.ringer) { $0.ringer },
    .text("SwitchError", Keys.ringerError) { $0.ringerError },
    .text("Trust", Keys.trust) { $0.trust },
    .text("ClockBasis", Keys.clockBasis) { $0.clockBasis },
    Property("ClockIsUsed", "b", Keys.clockIsUsed) { $0.clockIsUsed },
    .text("ClockWords", Keys.clockWords, .flowing) { $0.clockWords },
    Property("ClockUncertainty", "d", Keys.clockUncertainty, .flowing) { $0.clockUncertainty },
    Property("HoldoverEnds", "s", Keys.holdoverEnds) { $0.holdoverEnds },
    Property("VolumeDB", "d", Request.Keys.volume, .settable) { $0.volume },
    .text("Zone", Keys.zone) { $0.zone },
    .text("Voice", Keys.voice) { $0.voice },
    .text("Device", Keys.device) { $0.device },
    .text("DeviceSubstitute", Keys.substitute) { $0.substitute },
    Property("Problems", "as", Keys.problems) { $0.problems },
    Property("Last", "a{sv}", Keys.last) { $0.last },
    .text("LastError", Keys.lastError) { $0.lastError },
    .text("StateError", Keys.stateError) { $0.stateError },
    .text("StateLoss", Keys.stateLoss) { $0.stateLoss },
    Property("Timers", Keys.timers, due: \.due, \.shown) { $0.timers },
    Property("TimerEnds", "s", Keys.timerEnds) {
      $0.timers.lazy.filter { !$0.isRinging }.compactMap(\.due).min()
    },
    Property("Intervals", Keys.intervals, \.shown) { $0.intervals },
    Property("Alarms", Keys.alarms, due: \.next, \.record) { $0.alarms },
    Property("AlarmRings", "s", Keys.alarmRings) { $0.alarms.lazy.compactMap(\.next).min() },
  ]

  /// What is empty has no key.
  public var record: Record {
    Self.properties.reduce(into: Record()) { $0[$1.key] = $1.value(self) }
  }

  /// Keys that are missing or unknown are of another version: they change nothing.
  /// - Throws: `BadValue` for a status that cannot be.
  public init(_ record: Record) throws(BadValue) {
    func text(_ key: Key<String>) throws(BadValue) -> String { try record.optional(key) ?? "" }
    next = try record.optional(Keys.next) ?? next
    playing = try text(Keys.playing)
    isSilencedBySwitch = try text(Keys.mutedBy) == "switch"
    switch try text(Keys.softwareMute) {
    case SoftwareMute.next.key: mute = .next
    case SoftwareMute.on.key: mute = .on
    default: mute = try record.optional(Keys.mutedUntil).map { .until($0) } ?? .off
    }
    ringer = try text(Keys.ringer)
    ringerError = try text(Keys.ringerError)
    trust = try text(Keys.trust)
    clockBasis = try text(Keys.clockBasis)
    clockIsUsed = try record.optional(Keys.clockIsUsed) ?? false
    clockWords = try text(Keys.clockWords)
    clockUncertainty = try record.optional(Keys.clockUncertainty)
    holdoverEnds = try record.optional(Keys.holdoverEnds)
    volume = try record.optional(Request.Keys.volume) ?? 0
    zone = try text(Keys.zone)
    voice = try text(Keys.voice)
    device = try text(Keys.device)
    substitute = try text(Keys.substitute)
    last = try record.optional(Keys.last)
    lastError = try text(Keys.lastError)
    stateError = try text(Keys.stateError)
    stateLoss = try text(Keys.stateLoss)
    timers = try (record.optional(Keys.timers) ?? []).sorted { $0.number < $1.number }
    intervals = try record.optional(Keys.intervals) ?? []
    alarms = try (record.optional(Keys.alarms) ?? []).sorted { $0.alarm.number < $1.alarm.number }
  }

  /// The switch wins.
  private var mutedBy: String {
    if isSilencedBySwitch { return "switch" }
    switch mute {
    case .off: return ""
    case .next: return "next"
    case .until, .on: return "person"
    }
  }

  /// Problems that need a person, as sentences.
  private var problems: [String] {
    var problems: [String] = []
    if !substitute.isEmpty {
      problems.append("\(substitute) plays instead of the configured speaker")
    }
    if !ringerError.isEmpty { problems.append("the switch cannot be read: \(ringerError)") }
    if trust == ClockTrust.untrusted.rawValue { problems.append("the clock is not trusted") }
    if !stateError.isEmpty {
      problems.append("what is set at run time is lost at a restart: \(stateError)")
    }
    return problems
  }
}

extension Record {
  /// Setting an empty text removes the key.
  fileprivate subscript(text key: Key<String>) -> String {
    get { self[key] ?? "" }
    set { self[key] = newValue.isEmpty ? nil : newValue }
  }
}

extension Status.Next {
  private static let at = Key<Instant>.instant("at")
  private static let local = Key<String>.text("local")
  private static let chime = Key<String>.text("chime")
  private static let text = Key<String>.text("text")
  private static let sounds = Key<Bool>.flag("sounds")
  private static let reason = Key<String>.text("reason")
  private static let reasonKey = Key<String>.text("reason_key")

  fileprivate var record: Record {
    var record = Record()
    record[Self.at] = instant
    record[text: Self.local] = local
    record[Self.chime] = chime
    record[text: Self.text] = text
    record[Self.sounds] = refusal == nil
    record[Self.reason] = refusal?.words
    record[Self.reasonKey] = refusal?.key
    return record
  }

  fileprivate init(_ record: Record) throws(BadValue) {
    self.init(
      instant: try record.optional(Self.at) ?? Instant(seconds: 0),
      local: try record.optional(Self.local) ?? "",
      chime: try record.optional(Self.chime) ?? "none", text: try record.optional(Self.text) ?? "",
      refusal: try record.optional(Self.reasonKey).map { key throws(BadValue) in
        .init(key: key, words: try record.optional(Self.reason) ?? key)
      })
  }
}

extension Status.Last {
  private static let at = Key<Instant>.instant("at")
  private static let text = Key<String>.text("text")
  private static let onsetError = Key<Double>.real("onset_error_ms", -1e9...1e9, "ms")

  var record: Record {
    var record = Record()
    record[Self.at] = instant
    record[Self.text] = text
    record[Self.onsetError] = onsetError.map { Double($0.nanoseconds / 1000) / 1000 }
    return record
  }

  fileprivate init(_ record: Record) throws(BadValue) {
    self.init(
      instant: try record.value(Self.at), text: try record.value(Self.text),
      onsetError: try record.optional(Self.onsetError).map {
        .microseconds(Int64(($0 * 1000).rounded()))
      })
  }
}
