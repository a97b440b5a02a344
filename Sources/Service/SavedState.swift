import Basics
import Devices
@preconcurrency import Glibc
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

  /// When a mute for a span of time ends, counted from one boot of the machine.
  struct End: Hashable {
    /// As `SystemClock.boot`.
    let boot: String
    let sinceBoot: Duration
  }

  var mute = SoftwareMute.off
  /// Nil if the mute ends at the instant that it names.
  var muteEnd: End?
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
  /// The boot in which the timers, the interval and the alarms were last set or seen, as
  /// `SystemClock.boot`.
  var timersBoot: String?

  /// When the RTC was last right, by its own time, as `ClockJudge.rtcSet`.
  var rtcSet: Instant?

  /// The version of the format. A text of a later version is refused; version 1 had no checksum,
  /// and `EarlierState.swift` reads 1 and 2. A new key that may be missing needs no new version:
  /// older programs ignore it.
  static let version = 3

  init() {}
}

// MARK: The saved state of the Announcer

extension SavedState {
  /// When the mute ends, counted from boot; nil if it ends at the instant that it names, or if the
  /// machine has booted since it was saved.
  var muteEndInThisBoot: Duration? {
    muteEnd.flatMap { $0.boot == SystemClock.boot ? $0.sinceBoot : nil }
  }

  private var isSameBoot: Bool { timersBoot != nil && timersBoot == SystemClock.boot }

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
    muteEnd = announcer.muteEndsSinceBoot.flatMap { sinceBoot in
      SystemClock.boot.map { End(boot: $0, sinceBoot: sinceBoot) }
    }
    timers = announcer.reminders.timers
    interval = announcer.interval
    alarms = announcer.reminders.alarms
    let isEmpty = timers.isEmpty && interval == nil && alarms.isEmpty
    timersBoot = isEmpty ? nil : SystemClock.boot
    // Leave out a time of a clock that is far off: the file would be refused later.
    func allowed(_ instant: Instant?) -> Instant? {
      instant.flatMap { Instant.allowed.contains($0) ? $0 : nil }
    }
    sounded = allowed(announcer.lastSounded)
    trustedUntil = alarms.isEmpty ? nil : allowed(announcer.reminders.trustedUntil)
  }

  /// Keeps when the RTC was last right, to the day: each change is a write to the card.
  mutating func update(rtcSet: Instant?) {
    if let rtcSet, let saved = self.rtcSet, (rtcSet - saved).magnitude < .seconds(86_400) { return }
    self.rtcSet = rtcSet.flatMap { Instant.allowed.contains($0) ? $0 : nil }
  }

  /// True if something differs that must be saved soon. What changes with time alone can wait.
  func isUrgent(after old: SavedState) -> Bool {
    var same = old
    same.sounded = sounded
    same.trustedUntil = trustedUntil
    return self != same
  }
}

// MARK: As a record

extension SavedState {
  private enum Mute: String, CaseIterable { case on, next, until }

  private static let versionKey = Key<Int>.integer("version", 1...Int(Int32.max))
  private static let muteKey = Key<Mute>.choice("software_mute")
  private static let mutedUntil = Key<Instant>.instant("muted_until")
  private static let mutedUntilBoot = Key<Duration>.seconds("muted_until_boot", spans)
  private static let muteBoot = Key<String>.text("mute_boot")
  private static let configuredVolume = Key<Double>.real(
    "volume_configured_db", -60...0, "dB")
  private static let soundedKey = Key<Instant>.instant("sounded")
  private static let rtcSetKey = Key<Instant>.instant("rtc_set")
  private static let boot = Key<String>.text("boot")
  private static let timersKey = Key<[Record]>.records("timers")
  private static let intervalsKey = Key<[Record]>.records("intervals")
  private static let alarmsKey = Key<[Record]>.records("alarms")
  private static let trustedUntilKey = Key<Instant>.instant("trusted_until")
  private static let spans =
    Duration.zero...(Instant.allowed.upperBound - Instant.allowed.lowerBound)

  var record: Record {
    var record = Record()
    record[Self.versionKey] = Self.version
    switch mute {
    case .off: break
    case .on: record[Self.muteKey] = .on
    case .next: record[Self.muteKey] = .next
    case .until(let end):
      record[Self.muteKey] = .until
      record[Self.mutedUntil] = end
    }
    record[Self.mutedUntilBoot] = muteEnd?.sinceBoot
    record[Self.muteBoot] = muteEnd?.boot
    record[Request.Keys.volume] = volume?.decibels
    record[Self.configuredVolume] = volume?.configured
    record[Self.soundedKey] = sounded
    record[Self.rtcSetKey] = rtcSet
    record[Self.boot] = timersBoot
    if !timers.isEmpty { record[Self.timersKey] = timers.map(\.record) }
    record[Self.intervalsKey] = interval.map { [$0.record] }
    record[Self.trustedUntilKey] = trustedUntil
    if !alarms.isEmpty { record[Self.alarmsKey] = alarms.map(\.record) }
    return record
  }

  /// - Throws: `BadValue` for a state that cannot be.
  init(_ record: Record) throws(BadValue) {
    switch try record.optional(Self.muteKey) {
    case .on: mute = .on
    case .next: mute = .next
    case .until:
      mute = .until(try record.value(Self.mutedUntil))
      if let boot = try record.optional(Self.muteBoot) {
        muteEnd = End(boot: boot, sinceBoot: try record.value(Self.mutedUntilBoot))
      }
    case nil: break
    }
    if let decibels = try record.optional(Request.Keys.volume) {
      volume = Volume(decibels: decibels, configured: try record.value(Self.configuredVolume))
    }
    sounded = try record.optional(Self.soundedKey)
    rtcSet = try record.optional(Self.rtcSetKey)
    timersBoot = try record.optional(Self.boot)
    for timer in try record.optional(Self.timersKey) ?? [] {
      timers.append(try Reminder.timer(timer))
    }
    interval = try record.optional(Self.intervalsKey)?.first.map(IntervalTimer.init)
    trustedUntil = try record.optional(Self.trustedUntilKey)
    for alarm in try record.optional(Self.alarmsKey) ?? [] {
      alarms.append(try Reminder.alarm(alarm) { try? Sounds.tune($0) })
    }
  }
}

// MARK: As text

extension SavedState {
  private static let seal = #","checksum":""#

  /// One JSON object on a line; its last value is the CRC-32 of the text before it.
  var text: String {
    let open = record.json.dropLast()
    return "\(open)\(Self.seal)\(String(CRC32.of(open), radix: 16))\"}\n"
  }

  /// - Throws: `Fault` for anything but the whole text of a state, of this version or an earlier
  ///   one.
  init(text: String, path: String) throws(Fault) {
    guard var record = try? Record(json: text, path: path) else {
      throw Fault(path, "it is torn, or no state")
    }
    guard let version = record[Self.versionKey] else { throw Fault(path, "it has no version") }
    guard version <= Self.version else {
      throw Fault(path, "it is of version \(version), and this program knows \(Self.version)")
    }
    guard version == 1 || Self.isSealed(text) else {
      throw Fault(path, "its checksum is wrong: it is torn, or was edited")
    }
    if version < 3 { record.modernise() }
    record.moderniseAlarms()
    do throws(BadValue) {
      try self.init(record)
    } catch {
      throw Fault(path, error.description)
    }
    guard Set(timers.map(\.number)).count == timers.count, timers.count <= Reminders.mostTimers,
      Set(timers.compactMap(\.name)).count == timers.compactMap(\.name).count
    else { throw Fault(path, "it has too many timers, or two of one name or number") }
    guard Set(alarms.map(\.number)).count == alarms.count,
      Set(alarms.compactMap(\.name)).count == alarms.compactMap(\.name).count
    else { throw Fault(path, "it has two alarms of one name or number") }
  }
}

extension SavedState {
  /// True if a text ends in the checksum of the text before it.
  private static func isSealed(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let seal = Array(seal.utf8)
    guard bytes.count > seal.count,
      let start = (0...bytes.count - seal.count).last(where: { bytes[$0...].starts(with: seal) })
    else { return false }
    let open = String(decoding: bytes[..<start], as: UTF8.self)
    let end = String(decoding: bytes[(start + seal.count)...], as: UTF8.self)
    return ["\"}", "\"}\n"].contains { end == String(CRC32.of(open), radix: 16) + $0 }
  }
}
