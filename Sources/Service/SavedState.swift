import Basics
import Devices
import Horology
import Sound

/// The state that is saved for the next start: the settings that a person made at run time, and the
/// last occasion that sounded.
struct SavedState: Hashable, Sendable {
  var mute = SoftwareMute.off
  /// Since the machine started; nil if the mute ends at the instant that it names.
  var muteEndsSinceBoot: Duration?
  /// In dB, in place of the configuration's.
  var volume: Double?
  /// The configured volume at that time. Once the configuration changes it, the configuration
  /// counts.
  var configuredVolume: Double?
  /// The latest occasion that has sounded. After a restart with the clock set back it does not
  /// sound again.
  ///
  /// It is written together with other changes and at the end of the service, never by itself: a
  /// write every quarter of an hour would only wear the card. After a power cut it may be missing.
  /// If the clock then starts behind, it is not trusted until it is set right. That step moves it
  /// past all occasions that have sounded.
  var sounded: Instant?

  var timers: [Reminder] = []
  var interval: IntervalTimer?
  var alarms: [Reminder] = []
  /// The boot from which moments are counted, as `SystemClock.boot`; nil if there are none.
  var boot: String?

  /// When the RTC was last right, by its own time, as `ClockJudge.rtcSet`.
  var rtcSet: Instant?

  init() {}
}

// MARK: The saved state of the Announcer

extension SavedState {
  private var isSameBoot: Bool { boot != nil && boot == SystemClock.boot }

  /// When the mute ends, counted from boot; nil if it ends at the instant that it names, or if the
  /// machine has booted since it was saved.
  var muteEndsInThisBoot: Duration? { isSameBoot ? muteEndsSinceBoot : nil }

  /// The timers and alarms, as they are after this start of the service.
  func reminders(at now: Now) -> Reminders {
    Reminders(timers + alarms, isSameBoot: isSameBoot, at: now)
  }

  /// The interval, as it is after this start of the service.
  func interval(at now: Now) -> IntervalTimer? {
    interval?.started(isSameBoot: isSameBoot, at: now)
  }

  /// Takes the mute, the timers, the interval, the alarms and the last occasion that sounded.
  mutating func update(from announcer: Announcer) {
    mute = announcer.mute
    muteEndsSinceBoot = announcer.muteEndsSinceBoot
    timers = announcer.reminders.timers
    interval = announcer.interval
    alarms = announcer.reminders.alarms
    let countsFromBoot =
      !timers.isEmpty || interval != nil || !alarms.isEmpty || muteEndsSinceBoot != nil
    boot = countsFromBoot ? SystemClock.boot : nil
    sounded = Self.allowed(announcer.lastSounded)
  }

  /// Keeps when the RTC was last right, to the day: each change is a write to the card.
  mutating func update(rtcSet: Instant?) {
    if let rtcSet, let saved = self.rtcSet, (rtcSet - saved).magnitude < .seconds(86_400) { return }
    self.rtcSet = Self.allowed(rtcSet)
  }

  /// Nil for a time of a clock that is far off: it could not be read again.
  private static func allowed(_ instant: Instant?) -> Instant? {
    instant.flatMap { Instant.allowed.contains($0) ? $0 : nil }
  }

  /// True if something differs that must be saved soon. What changes with time alone can wait.
  func isUrgent(after old: SavedState) -> Bool {
    var same = old
    same.sounded = sounded
    return self != same
  }
}

// MARK: As text

extension SavedState {
  private static let version = Key<Int>.integer("version", 1...Int(Int32.max))
  /// A text of another version is refused. A new key that may be missing needs no new version: older
  /// programs ignore it.
  private static let knownVersion = 3

  private static let fields: [Field<Self>] = [
    Field(version, { _ in knownVersion }),
    // The instant of `until` follows.
    Field(
      .parsed(
        "software_mute", allowed: "on, next, until", as: \.key,
        { ["on": .on, "next": .next, "until": .off][$0] }),
      { $0.mute == .off ? nil : $0.mute }, set: { $0.mute = $1 }),
    Field(.instant("muted_until"), { $0.mute.end }, set: { $0.mute = .until($1) }),
    Field(
      .seconds(
        "muted_until_boot", .zero...(Instant.allowed.upperBound - Instant.allowed.lowerBound)),
      \.muteEndsSinceBoot),
    Field(Request.Keys.volume, \.volume),
    Field(.real("volume_configured_db", -60...0, "dB"), \.configuredVolume),
    Field(.instant("sounded"), \.sounded), Field(.instant("rtc_set"), \.rtcSet),
    Field(.text("boot"), \.boot),
  ]

  private static let timers = Key<[Record]>.records("timers")
  private static let intervals = Key<[Record]>.records("intervals")
  private static let alarms = Key<[Record]>.records("alarms")

  /// One JSON object on a line.
  var text: String {
    var record = Record(self, Self.fields)
    if !timers.isEmpty { record[Self.timers] = timers.map(\.record) }
    record[Self.intervals] = interval.map { [$0.record] }
    if !alarms.isEmpty { record[Self.alarms] = alarms.map(\.record) }
    return record.json + "\n"
  }

  /// Reads a text. What of it cannot be used is left out.
  /// - Parameter flaws: gets a clause for each thing that was left out.
  /// - Throws: `Fault` for a text that is torn, no state, or of another version.
  init(text: String, path: String, flaws: inout [String]) throws(Fault) {
    guard let record = try? Record(json: text, path: path), let version = record[Self.version]
    else { throw Fault(path, "it is torn, or no state") }
    guard version == Self.knownVersion else {
      throw Fault(path, "it is of version \(version), and this program knows \(Self.knownVersion)")
    }

    for field in Self.fields {
      do throws(BadValue) {
        try record.fill(&self, [field])
      } catch {
        flaws.append(error.description.printable)
      }
    }
    if volume == nil { configuredVolume = nil }
    timers = record.elements(of: Self.timers, &flaws, Reminder.timer)
    interval = record.elements(of: Self.intervals, &flaws, IntervalTimer.init).first
    alarms = record.elements(of: Self.alarms, &flaws) { record throws(BadValue) in
      try Reminder.alarm(record) { try? Sounds.tune($0) }
    }
  }
}

extension Record {
  /// The elements of a list that can be used.
  fileprivate func elements<Element>(
    of key: Key<[Record]>, _ flaws: inout [String],
    _ read: (Record) throws(BadValue) -> Element
  ) -> [Element] {
    var elements: [Element] = []
    do throws(BadValue) {
      for element in try optional(key) ?? [] {
        do throws(BadValue) {
          elements.append(try read(element))
        } catch {
          flaws.append("\(key.name): \(error)".printable)
        }
      }
    } catch {
      flaws.append(error.description.printable)
    }
    return elements
  }
}

extension SoftwareMute {
  /// The instant at which it ends; nil if it names none.
  var end: Instant? { if case .until(let end) = self { end } else { nil } }
}
