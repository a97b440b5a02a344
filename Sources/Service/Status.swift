import Basics
import Daemon
import Devices
import Horology
import Sound

/// The state of the clock that `status` and the bus show, with the running service or without one.
public struct Status: Hashable, Sendable {
  public struct Next: Hashable, Sendable {
    public var instant = Instant(seconds: 0)
    public var local = ""
    public var chime = "none"
    public var text = ""
    /// Why it will not sound, as a key and in words; nil if it will.
    public var reasonKey: String?
    public var reason: String?
  }

  public struct Last: Hashable, Sendable {
    public var instant = Instant(seconds: 0)
    public var text = ""
    public var onsetError: Duration?
  }

  /// An alarm, and why it is or will be silent; nil if it rings.
  public struct Alarm: Hashable, Sendable {
    public let alarm: Reminder
    public let reason: String?
  }

  public var zone = ""
  public var voice = ""
  public var device = ""
  /// The sound card that plays because the device cannot be opened; empty if the device plays.
  public var substitute = ""
  public var volume = 0.0
  public var next = Next()
  public var mute = SoftwareMute.off
  /// Nil if nobody reads the switch.
  public var switchState: SwitchState?
  public var isSilencedBySwitch = false
  public var trust = ClockTrust.untrusted
  public var clockBasis = ClockState.Basis.Kind.noRTC
  /// True if a request for the time is answered by this clock.
  public var clockIsUsed = false
  /// How long before its instant a request for the time is taken, in seconds.
  var requestAhead = Announcer.preparation.inSeconds
  public var clockWords = ""
  public var clockUncertainty: Double?
  public var holdoverEnds: Instant?
  public var playing = ""
  public var timers: [Reminder] = []
  public var intervals: [IntervalTimer] = []
  public var alarms: [Alarm] = []
  public var last: Last?
  /// The last thing that went wrong, with its time; empty if nothing did.
  public var lastError = ""
  /// Why what is set at run time cannot be saved, and what to do about it; empty if it can.
  public var stateError = ""
  /// What became of a saved state that could not be used at the start, until the end: the owner may
  /// want the file. Empty if it could.
  public var stateLoss = ""
  public private(set) var problems: [String] = []
  /// For each of the problems what mends it, as a key.
  private(set) var problemKeys: [String] = []
  /// The `stateError` of a service that was started by hand. It has said so at its start.
  public static let hasNoStateFolder = "STATE_DIRECTORY names no folder for it"

  /// The device that plays, as in `plughw:CARD=DAC,DEV=0 instead of default`.
  public var speaker: String {
    substitute.isEmpty ? device : "\(substitute) instead of \(device)"
  }

  public init(
    _ configuration: Configuration, _ composer: Composer, _ announcer: Announcer,
    clock: ClockState
  ) {
    zone = announcer.zone.name
    voice = configuration.voice
    device = configuration.device
    volume = configuration.volume
    trust = announcer.trust
    clockBasis = clock.basis.kind
    clockIsUsed = announcer.rules.answersByClock(clock.trust)
    requestAhead = announcer.rules.preparation.inSeconds
    clockWords = clock.words
    clockUncertainty = clock.uncertainty?.inSeconds
    holdoverEnds = clock.ends
    next = Next(announcer.outlook, composer)
    mute = announcer.mute
    switchState = announcer.switchState
    isSilencedBySwitch = announcer.isSilencedBySwitch
    timers = announcer.reminders.timers
    intervals = announcer.interval.map { [$0] } ?? []
    alarms = announcer.reminders.alarms.map {
      Alarm(alarm: $0, reason: announcer.refusal(of: $0)?.description)
    }
    playing = announcer.sounding.map { composer.words(of: $0) } ?? ""
    findProblems(configuration)
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
    let field: Field<Status>
    let name: String
    let type: String
    /// It changes all the time, and `PropertiesChanged` leaves it out.
    let isFlowing: Bool
    private(set) var isSame: @Sendable (Status, Status) -> Bool
    /// The records of a list, one after another: a thousand of them at once take half a megabyte.
    private(set) var eachRecord: (@Sendable (Status, (Record) -> Void) -> Void)?

    init(
      _ field: Field<Status>, _ type: String = "s", isFlowing: Bool = false, name: String? = nil
    ) {
      (self.field, self.type, self.isFlowing) = (field, type, isFlowing)
      self.name = name ?? Record.property(ofKey: field.name)
      isSame = { field.value($0) == field.value($1) }
    }

    /// A list of records, by number. On the bus the next to come is first, what is never due last.
    static func list<Element: Equatable & Sendable>(
      _ name: String, _ path: Field<Status>.Path<[Element]>,
      number: @escaping @Sendable (Element) -> Int,
      due: @escaping @Sendable (Element) -> Instant?,
      _ write: @escaping @Sendable (Element) -> Record,
      _ read: @escaping @Sendable (Record) throws(BadValue) -> Element
    ) -> Property {
      let never = Instant(nanoseconds: .max)
      let sorted: @Sendable (Status) -> [Element] = { status in
        status[keyPath: path].sorted { (due($0) ?? never) < (due($1) ?? never) }
      }
      var property = Property(
        Field(
          .records(name, write, read), sorted,
          set: { $0[keyPath: path] = $1.sorted { number($0) < number($1) } }), "aa{sv}")
      // To write a thousand records for each comparison would take too long.
      property.isSame = { $0[keyPath: path] == $1[keyPath: path] }
      property.eachRecord = { status, body in for each in sorted(status) { body(write(each)) } }
      return property
    }
  }

  static let properties: [Property] = [
    Property(Field(.record("next", \.record, Next.init), \.next), "a{sv}"),
    Property(.text("playing", \.playing)),
    Property(Field(.flag("muted"), { $0.mute != .off || $0.isSilencedBySwitch }), "b"),
    Property(
      Field(.choice("muted_by"), \.mutedBy, set: { $0.isSilencedBySwitch = $1 == .switch })),
    Property(SoftwareMute.field(\.mute)),
    Property(SoftwareMute.fieldOfEnd(\.mute)),
    Property(
      Field(switchKey, \.switchState, set: { if $0.switchError == nil { $0.switchState = $1 } })),
    Property(Field(.text("switch_error"), \.switchError, set: { $0.switchState = .lost($1) })),
    Property(Field(.choice("trust"), \.trust)),
    Property(Field(.choice("clock_basis"), \.clockBasis)),
    Property(Field(.flag("clock_is_used"), \.clockIsUsed), "b"),
    Property(Field(.real("request_ahead", 0...60, "seconds"), \.requestAhead), "d"),
    Property(.text("clock_words", \.clockWords), isFlowing: true),
    Property(
      Field(
        .real("clock_uncertainty", 0 ... .greatestFiniteMagnitude, "seconds"), \.clockUncertainty),
      "d", isFlowing: true),
    Property(Field(.instant("holdover_ends"), \.holdoverEnds)),
    Property(Field(Request.Keys.volume, \.volume), "d", name: "VolumeDB"),
    Property(.text("zone", \.zone)),
    Property(.text("voice", \.voice)),
    Property(.text("device", \.device)),
    Property(.text("device_substitute", \.substitute)),
    Property(Field(.texts("problems"), \.problems), "as"),
    Property(Field(.texts("problem_keys"), \.problemKeys), "as"),
    Property(Field(.record("last", \.record, Last.init), \.last), "a{sv}"),
    Property(.text("last_error", \.lastError)),
    Property(.text("state_error", \.stateError)),
    Property(.text("state_loss", \.stateLoss)),
    .list("timers", \.timers, number: \.number, due: \.due, \.shown, Reminder.timer),
    Property(
      Field(
        .instant("timer_ends"),
        { $0.timers.lazy.filter { !$0.isRinging }.compactMap(\.due).min() })),
    .list(
      "intervals", \.intervals, number: { _ in 1 }, due: { _ in nil }, \.shown,
      IntervalTimer.init),
    .list("alarms", \.alarms, number: \.alarm.number, due: \.next, \.record, Alarm.init),
    Property(Field(.instant("alarm_rings"), { $0.alarms.lazy.compactMap(\.next).min() })),
  ]

  private static let fields = properties.map(\.field)

  public var record: Record { Record(self, Self.fields) }

  /// Keys that are missing or unknown are of another version: they change nothing.
  public init(_ record: Record) throws(BadValue) { try record.fill(&self, Self.fields) }

  /// Why the switch is lost has a key of its own, `switch_error`.
  private static let switchKey = Key<SwitchState>.parsed(
    "switch", allowed: "absent, on, off, lost", as: \.key
  ) { ["absent": .absent, "on": .on, "off": .off, "lost": .lost("")][$0] }

  private var switchError: String? {
    if case .lost(let why)? = switchState { why } else { nil }
  }

  private enum Muter: String, CaseIterable { case `switch`, next, person }

  private var mutedBy: Muter? {
    if isSilencedBySwitch { return .switch }
    switch mute {
    case .off: return nil
    case .next: return .next
    case .until, .on: return .person
    }
  }

  /// - Parameter others: what only the running service knows, each with its key.
  mutating func findProblems(
    _ configuration: Configuration, others: [(key: String, words: String)] = []
  ) {
    let known: [(key: String, words: String?)] = [
      ("zone", configuration.flawOfZone),
      (
        "speaker",
        substitute.isEmpty ? nil : "\(substitute) plays instead of the configured speaker"
      ),
      ("switch", switchError.map { "the switch cannot be read: \($0)" }),
      ("clock", trust == .untrusted ? "the clock is not trusted" : nil),
      (
        "saving",
        stateError.isEmpty ? nil : "what is set at run time is lost at a restart: \(stateError)"
      ),
      ("state", stateLoss.isEmpty ? nil : stateLoss),
      ("alarms", alarms.compactMap(\.alarm.name).namesakes),
    ]
    let found =
      known.compactMap { key, words in words.map { (key, $0) } }
      + configuration.settingsFlaws.map { ("settings", $0) } + others
    problems = found.map(\.1)
    problemKeys = found.map(\.0)
  }
}

extension Status.Next {
  private static let fields: [Field<Self>] = [
    Field(.instant("at"), \.instant), .text("local", \.local), Field(.text("chime"), \.chime),
    .text("text", \.text), Field(.flag("sounds"), { $0.reasonKey == nil }),
    Field(.text("reason"), \.reason), Field(.text("reason_key"), \.reasonKey),
  ]

  fileprivate var record: Record { Record(self, Self.fields) }

  fileprivate init(_ record: Record) throws(BadValue) { try record.fill(&self, Self.fields) }

  fileprivate init(_ outlook: Outlook, _ composer: Composer) {
    let occasion = outlook.occasion
    self.init(
      instant: occasion.instant, local: occasion.civil.description,
      chime: outlook.tune?.name ?? "none",
      text: outlook.speaks ? (try? composer.text(of: occasion.civil)) ?? "" : "",
      reasonKey: outlook.refusal?.key, reason: outlook.refusal?.description)
  }
}

extension Status.Last {
  private static let fields: [Field<Self>] = [
    Field(.instant("at"), \.instant), Field(.text("text"), \.text),
    Field(
      .real("onset_error_ms", -1e9...1e9, "ms"),
      { $0.onsetError.map { Double($0.nanoseconds / 1000) / 1000 } },
      set: { $0.onsetError = .microseconds(Int64(($1 * 1000).rounded())) }),
  ]

  fileprivate var record: Record { Record(self, Self.fields) }

  fileprivate init(_ record: Record) throws(BadValue) { try record.fill(&self, Self.fields) }
}
