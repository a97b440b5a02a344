import Basics
import Daemon
import Devices
import Horology
import Sound

/// The state of the clock that `status` and the bus show, with the running service or without one.
public struct Status: Hashable, Sendable {
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
    public let alarm: Reminder
    public let reason: String?
  }

  public var zone = ""
  public var voice = ""
  /// The configured ALSA device, or a file.
  public var device = ""
  /// The sound card that plays because the device cannot be opened; empty if the device plays.
  public var substitute = ""
  public var volume = 0.0
  public var next = Next(
    instant: Instant(seconds: 0), local: "", chime: "none", text: "", refusal: nil)
  public var mute = SoftwareMute.off
  /// A key of `Ringer`; empty if it is not known.
  public var ringer = ""
  /// Why the switch cannot be read; empty if it can.
  public var ringerError = ""
  public var isSilencedBySwitch = false
  public var trust = ""
  public var clockBasis = ""
  /// True if a request for the time is answered by this clock: it is trusted, or the owner wants
  /// that.
  public var clockIsUsed = false
  /// How long before its instant a request for the time is taken, in seconds.
  var requestAhead = Announcer.preparation.inSeconds
  public var clockWords = ""
  /// In seconds; nil if it may be anything.
  public var clockUncertainty: Double?
  /// As `ClockState.ends`.
  public var holdoverEnds: Instant?
  /// The words of the announcement that is heard now; empty for none.
  public var playing = ""
  /// By number.
  public var timers: [Reminder] = []
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
    timers = announcer.reminders.timers
    intervals = announcer.interval.map { [$0] } ?? []
    alarms = announcer.reminders.alarms.map {
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
    let rules = Rules(configuration.announcer, trust: clock.trust)
    clockIsUsed = rules.answersByClock(clock.trust)
    requestAhead = rules.preparation.inSeconds
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
    let type: String
    let change: Change
    /// Nil if it is missing.
    let value: @Sendable (Status) -> Value?
    /// Sets what the record has of it.
    fileprivate let read: @Sendable (Record, inout Status) throws(BadValue) -> Void
    /// Compares what is meant, which takes less time than to write both.
    let isSame: @Sendable (Status, Status) -> Bool
    /// The records of a list, one after another: a thousand of them at once take half a megabyte.
    private(set) var eachRecord: (@Sendable (Status, (Record) -> Void) -> Void)?

    /// As `muted_by` for `MutedBy`.
    var key: String { Record.key(ofProperty: name) }

    /// - Parameters:
    ///   - key: makes the key of this name.
    ///   - set: sets what was read; without it, the value follows from others.
    init<Meaning: Equatable & Sendable>(
      _ name: String, _ type: String, _ key: (String) -> Key<Meaning>,
      _ meaning: @escaping @Sendable (Status) -> Meaning?,
      set: @escaping @Sendable (inout Status, Meaning) -> Void = { _, _ in },
      _ change: Change = .told
    ) {
      (self.name, self.type, self.change) = (name, type, change)
      let key = key(Record.key(ofProperty: name))
      value = { meaning($0).map(key.write) }
      read = { record, status throws(BadValue) in
        if let meaning = try record.optional(key) { set(&status, meaning) }
      }
      isSame = { meaning($0) == meaning($1) }
    }

    /// A text that is missing if it is empty.
    static func text(
      _ name: String, _ field: Field<String>, _ change: Change = .told
    ) -> Property {
      Property(
        name, "s", { .text($0) }, { $0[keyPath: field].isEmpty ? nil : $0[keyPath: field] },
        set: { $0[keyPath: field] = $1 }, change)
    }

    static func field<Meaning: Equatable & Sendable>(
      _ name: String, _ type: String, _ field: Field<Meaning>, _ change: Change = .told,
      _ key: (String) -> Key<Meaning>
    ) -> Property {
      Property(
        name, type, key, { $0[keyPath: field] }, set: { $0[keyPath: field] = $1 }, change)
    }

    static func field<Meaning: Equatable & Sendable>(
      _ name: String, _ type: String, _ field: Field<Meaning?>, _ change: Change = .told,
      _ key: (String) -> Key<Meaning>
    ) -> Property {
      Property(
        name, type, key, { $0[keyPath: field] }, set: { $0[keyPath: field] = $1 }, change)
    }

    /// A list of records, in the order of their numbers. On the bus the next to come is first; those
    /// that are not due at any time are last.
    static func list<Element: Equatable & Sendable>(
      _ name: String, _ field: Field<[Element]>, number: @escaping @Sendable (Element) -> Int,
      due: @escaping @Sendable (Element) -> Instant?,
      _ write: @escaping @Sendable (Element) -> Record,
      _ read: @escaping @Sendable (Record) throws(BadValue) -> Element
    ) -> Property {
      let never = Instant(nanoseconds: .max)
      let sorted: @Sendable (Status) -> [Element] = { status in
        status[keyPath: field].sorted { (due($0) ?? never) < (due($1) ?? never) }
      }
      var property = Property(
        name, "aa{sv}", { .records($0, write, read) }, sorted,
        set: { $0[keyPath: field] = $1.sorted { number($0) < number($1) } })
      property.eachRecord = { status, body in for each in sorted(status) { body(write(each)) } }
      return property
    }
  }

  /// Key paths of value types to value types are constants; the compiler does not know that they
  /// may be shared.
  typealias Field<Value> = WritableKeyPath<Status, Value> & Sendable

  static let properties: [Property] = [
    .field("Next", "a{sv}", \.next) { .record($0, { $0.record }, Next.init) },
    .text("Playing", \.playing),
    Property("Muted", "b", { .flag($0) }, { $0.mute != .off || $0.isSilencedBySwitch }),
    Property(
      "MutedBy", "s", { .text($0) }, \.mutedBy, set: { $0.isSilencedBySwitch = $1 == "switch" }),
    Property(
      "MutedUntil", "s", { .instant($0) },
      { if case .until(let end) = $0.mute { end } else { nil } }, set: { $0.mute = .until($1) }),
    Property(
      "SoftwareMute", "s", { .text($0) }, \.mute.key,
      set: { status, key in
        let untimed = [SoftwareMute.next, .on]
        if let mute = untimed.first(where: { $0.key == key }) { status.mute = mute }
      }),
    .text("Switch", \.ringer),
    .text("SwitchError", \.ringerError),
    .text("Trust", \.trust),
    .text("ClockBasis", \.clockBasis),
    .field("ClockIsUsed", "b", \.clockIsUsed) { .flag($0) },
    .field("RequestAhead", "d", \.requestAhead) { .real($0, 0...60, "seconds") },
    .text("ClockWords", \.clockWords, .flowing),
    .field("ClockUncertainty", "d", \.clockUncertainty, .flowing) {
      .real($0, 0 ... .greatestFiniteMagnitude, "seconds")
    },
    .field("HoldoverEnds", "s", \.holdoverEnds) { .instant($0) },
    .field("VolumeDB", "d", \.volume, .settable) { _ in Request.Keys.volume },
    .text("Zone", \.zone),
    .text("Voice", \.voice),
    .text("Device", \.device),
    .text("DeviceSubstitute", \.substitute),
    Property("Problems", "as", { .texts($0) }, \.problems),
    .field("Last", "a{sv}", \.last) { .record($0, { $0.record }, Last.init) },
    .text("LastError", \.lastError),
    .text("StateError", \.stateError),
    .text("StateLoss", \.stateLoss),
    .list("Timers", \.timers, number: \.number, due: \.due, \.shown, Reminder.timer),
    Property(
      "TimerEnds", "s", { .instant($0) },
      { $0.timers.lazy.filter { !$0.isRinging }.compactMap(\.due).min() }),
    .list(
      "Intervals", \.intervals, number: { _ in 1 }, due: { _ in nil }, \.shown,
      IntervalTimer.init),
    .list("Alarms", \.alarms, number: \.alarm.number, due: \.next, \.record, Alarm.init),
    Property("AlarmRings", "s", { .instant($0) }, { $0.alarms.lazy.compactMap(\.next).min() }),
  ]

  /// What is empty has no key.
  public var record: Record {
    Self.properties.reduce(into: Record()) { $0[$1.key] = $1.value(self) }
  }

  /// Keys that are missing or unknown are of another version: they change nothing.
  /// - Throws: `BadValue` for a status that cannot be.
  public init(_ record: Record) throws(BadValue) {
    for property in Self.properties { try property.read(record, &self) }
  }

  private var mutedBy: String? {
    if isSilencedBySwitch { return "switch" }
    switch mute {
    case .off: return nil
    case .next: return "next"
    case .until, .on: return "person"
    }
  }

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
    record[Self.local] = local.isEmpty ? nil : local
    record[Self.chime] = chime
    record[Self.text] = text.isEmpty ? nil : text
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
