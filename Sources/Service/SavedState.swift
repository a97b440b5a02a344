import Basics
import Devices
import Horology
import Sound

/// The state that is saved for the next start: the settings that a person made at run time, and the
/// last occasion that sounded.
struct SavedState: Hashable {
  /// A volume in dB, in place of the configuration's.
  struct Volume: Hashable {
    let decibels: Double
    /// The configured volume at that time. Once the configuration changes it, the configuration
    /// counts.
    let configured: Double
  }

  var mute = SoftwareMute.off
  /// Since the machine started; nil if the mute ends at the instant that it names.
  var muteEndsSinceBoot: Duration?
  var volume: Volume?
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
  /// As `Reminders.trustedUntil`. It is written with other changes, like `sounded`.
  var trustedUntil: Instant?
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
    Reminders(timers + alarms, trustedUntil: trustedUntil, isSameBoot: isSameBoot, at: now)
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
    trustedUntil = alarms.isEmpty ? nil : Self.allowed(announcer.reminders.trustedUntil)
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
    same.trustedUntil = trustedUntil
    return self != same
  }
}

// MARK: As text

extension SavedState {
  private enum Mute: String, CaseIterable { case on, next, until }

  private enum Keys {
    static let version = Key<Int>.integer("version", 1...Int(Int32.max))
    static let mute = Key<Mute>.choice("software_mute")
    static let mutedUntil = Key<Instant>.instant("muted_until")
    static let mutedUntilBoot = Key<Duration>.seconds(
      "muted_until_boot", .zero...(Instant.allowed.upperBound - Instant.allowed.lowerBound))
    static let configuredVolume = Key<Double>.real("volume_configured_db", -60...0, "dB")
    static let sounded = Key<Instant>.instant("sounded")
    static let rtcSet = Key<Instant>.instant("rtc_set")
    static let boot = Key<String>.text("boot")
    static let timers = Key<[Record]>.records("timers")
    static let intervals = Key<[Record]>.records("intervals")
    static let alarms = Key<[Record]>.records("alarms")
    static let trustedUntil = Key<Instant>.instant("trusted_until")
  }

  /// A text of a later version is refused; `EarlierState.swift` reads earlier ones. A new key that
  /// may be missing needs no new version: older programs ignore it.
  static let version = 3

  /// One JSON object on a line.
  var text: String {
    var record = Record()
    record[Keys.version] = Self.version
    switch mute {
    case .off: break
    case .on: record[Keys.mute] = .on
    case .next: record[Keys.mute] = .next
    case .until(let end):
      record[Keys.mute] = .until
      record[Keys.mutedUntil] = end
    }
    record[Keys.mutedUntilBoot] = muteEndsSinceBoot
    record[Request.Keys.volume] = volume?.decibels
    record[Keys.configuredVolume] = volume?.configured
    record[Keys.sounded] = sounded
    record[Keys.rtcSet] = rtcSet
    record[Keys.boot] = boot
    if !timers.isEmpty { record[Keys.timers] = timers.map(\.record) }
    record[Keys.intervals] = interval.map { [$0.record] }
    record[Keys.trustedUntil] = trustedUntil
    if !alarms.isEmpty { record[Keys.alarms] = alarms.map(\.record) }
    return record.json + "\n"
  }

  /// Reads a text. What of it cannot be used is left out.
  /// - Parameter flaws: gets a clause for each thing that was left out.
  /// - Throws: `Fault` for a text that is torn, no state, or of a later version.
  init(text: String, path: String, flaws: inout [String]) throws(Fault) {
    guard var record = try? Record(json: text, path: path), let version = record[Keys.version]
    else { throw Fault(path, "it is torn, or no state") }
    guard version <= Self.version else {
      throw Fault(path, "it is of version \(version), and this program knows \(Self.version)")
    }
    if version < 3 { record.modernise() }
    record.moderniseAlarms()

    func value<Meaning>(_ key: Key<Meaning>) -> Meaning? {
      do throws(BadValue) {
        return try record.optional(key)
      } catch {
        flaws.append(error.description.printable)
        return nil
      }
    }
    func list<Element>(
      _ key: Key<[Record]>, _ read: (Record) throws(BadValue) -> Element
    ) -> [Element] {
      var elements: [Element] = []
      for element in value(key) ?? [] {
        do throws(BadValue) {
          elements.append(try read(element))
        } catch {
          flaws.append("\(key.name): \(error)".printable)
        }
      }
      return elements
    }
    func unique(_ reminders: [Reminder]) -> [Reminder] {
      var (numbers, names): (Set<Int>, Set<String>) = ([], [])
      return reminders.filter { reminder in
        let isNew =
          numbers.insert(reminder.number).inserted
          && reminder.name.map { names.insert($0).inserted } ?? true
        if !isNew { flaws.append("\(reminder.title) is there twice") }
        return isNew
      }
    }

    switch value(Keys.mute) {
    case .on: mute = .on
    case .next: mute = .next
    case .until: mute = value(Keys.mutedUntil).map { .until($0) } ?? .off
    case nil: break
    }
    muteEndsSinceBoot = value(Keys.mutedUntilBoot)
    if let decibels = value(Request.Keys.volume), let configured = value(Keys.configuredVolume) {
      volume = Volume(decibels: decibels, configured: configured)
    }
    sounded = value(Keys.sounded)
    rtcSet = value(Keys.rtcSet)
    boot = value(Keys.boot)
    trustedUntil = value(Keys.trustedUntil)
    timers = unique(list(Keys.timers, Reminder.timer))
    interval = list(Keys.intervals, IntervalTimer.init).first
    alarms = unique(
      list(Keys.alarms) { record throws(BadValue) in
        try Reminder.alarm(record) { try? Sounds.tune($0) }
      })
  }
}
