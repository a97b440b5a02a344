import Basics
import Horology
import Sound

/// What a person has set at run time, for the next start.
public struct SavedState: Hashable, Sendable {
  var mute = SoftwareMute.off
  /// Since the machine started; nil if the mute ends at the instant that it names.
  var muteEndsSinceBoot: Duration?
  var timers: [Reminder] = []
  var interval: IntervalTimer?
  var alarms: [Reminder] = []
  var last = Reminders.Numbers()
  var boot: String?

  /// When the RTC was last right, by its own time, as `ClockJudge.rtcSet`.
  var rtcSet: Instant?

  /// How many timers, alarms and other keys of the text cannot be used, and are left out.
  private(set) var lost = 0

  public init() {}

  /// As it is after a start of the service.
  /// - Parameter boot: which start of the machine this is; nil if that is not known.
  public func announcer(
    _ settings: AnnouncerSettings, in zone: any Zone, trust: ClockTrust, boot: String?, at now: Now
  ) -> Announcer {
    let isSameBoot = boot != nil && boot == self.boot
    return Announcer(
      settings: settings, zone: zone, trust: trust, mute: mute,
      muteEndsSinceBoot: isSameBoot ? muteEndsSinceBoot : nil,
      reminders: Reminders(timers + alarms, last: last, isSameBoot: isSameBoot, at: now),
      interval: interval?.started(isSameBoot: isSameBoot, at: now), at: now)
  }

  public mutating func update(from announcer: Announcer, boot: String?) {
    mute = announcer.mute
    muteEndsSinceBoot = announcer.muteEndsSinceBoot
    timers = announcer.reminders.timers
    interval = announcer.interval
    alarms = announcer.reminders.alarms.map(\.saved)
    last = announcer.reminders.last
    let isEmpty = timers.isEmpty && interval == nil && alarms.isEmpty && muteEndsSinceBoot == nil
    self.boot = isEmpty ? nil : boot
  }

  /// Keeps when the RTC was last right, to the day: each change is a write to the card.
  mutating func update(rtcSet: Instant?) {
    if let rtcSet, let saved = self.rtcSet, (rtcSet - saved).magnitude < .seconds(86_400) { return }
    self.rtcSet = rtcSet
  }
}

// MARK: As text

extension SavedState {
  private static let version = Key<Int>.integer("version", 1...Int(Int32.max))
  /// A text of another version is refused. A key that may be missing needs no new version.
  private static let knownVersion = 3

  private static let fields: [Field<Self>] = [
    Field(version, { _ in knownVersion }),
    SoftwareMute.field(\.mute),
    SoftwareMute.fieldOfEnd(\.mute),
    Field(
      .seconds(
        "muted_until_boot", .zero...(Instant.allowed.upperBound - Instant.allowed.lowerBound)),
      \.muteEndsSinceBoot),
    Field(.instant("rtc_set"), \.rtcSet), Field(.text("boot"), \.boot),
    Field(.records("timers", \.record, Reminder.timer), \.timers),
    Field(
      .records("intervals", \.record, IntervalTimer.init), { $0.interval.map { [$0] } },
      set: { $0.interval = $1.first }),
    Field(
      .records("alarms", \.record) { record throws(BadValue) in
        try Reminder.alarm(record) { try? Sounds.tune($0) }
      }, \.alarms),
    Field(lastNumber("last_timer"), \.last.timer),
    Field(lastNumber("last_alarm"), \.last.alarm),
  ]

  private static func lastNumber(_ name: String) -> Key<Int> {
    .integer(name, 1...Reminders.Numbers.most)
  }

  var text: String { Record(self, Self.fields).json + "\n" }

  init(text: String, path: String) throws(Fault) {
    guard var record = try? Record(json: text, path: path), let version = record[Self.version]
    else { throw Fault(path, "it is torn, or no state") }
    guard version == Self.knownVersion else {
      throw Fault(path, "it is of version \(version), and this program knows \(Self.knownVersion)")
    }
    for key in ["timers", "alarms"] {
      guard case .list(let all)? = record[key] else { continue }
      let usable = all.filter { each in
        var state = SavedState()
        return (try? Record([key: .list([each])]).fill(&state, Self.fields)) != nil
      }
      lost += all.count - usable.count
      record[key] = .list(usable)
    }
    for field in Self.fields {
      do { try record.fill(&self, [field]) } catch { lost += 1 }
    }
    for list in [timers, alarms] where Set(list.map(\.number)).count < list.count {
      throw Fault(path, "two timers or two alarms have one number")
    }
  }
}

extension SoftwareMute {
  static func field<Root>(_ path: Field<Root>.Path<SoftwareMute>) -> Field<Root> {
    Field(
      .parsed("software_mute", allowed: "off, on, next, until", as: \.key) {
        ["off": .off, "on": .on, "next": .next, "until": .until(Instant(seconds: 0))][$0]
      }, { $0[keyPath: path] },
      set: { root, mute in
        // `fieldOfEnd` has the instant, whether it is read before or after this.
        if mute.end == nil { root[keyPath: path] = mute }
      })
  }

  static func fieldOfEnd<Root>(_ path: Field<Root>.Path<SoftwareMute>) -> Field<Root> {
    Field(
      .instant("muted_until"), { $0[keyPath: path].end }, set: { $0[keyPath: path] = .until($1) })
  }
}
