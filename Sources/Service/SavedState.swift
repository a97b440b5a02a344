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

  var timers: [Countdown] = []
  var interval: IntervalTimer?
  var alarms: [Alarm] = []
  /// How far the zone was ahead of UTC when the alarms were saved: a change of zone while the
  /// service is off may step over an alarm. Nil without alarms, or if an earlier version saved
  /// them.
  var zoneOffset: Duration?
  /// The boot in which the timers, the interval and the alarms were last set or seen, as
  /// `SystemClock.boot`.
  var timersBoot: String?

  /// The version of the format. A text of a later version is refused; version 1 had no checksum. A
  /// new key that may be missing needs no new version: older programs ignore it.
  static let version = 2
  /// Times before 1970 or after 2200 are refused, so that no sum overflows. In microseconds.
  static let times: ClosedRange<Int64> = 0...7_258_118_400_000_000

  init() {}
}

// MARK: The saved state of the Announcer

extension SavedState {
  /// When the mute ends, counted from boot; nil if it ends at the instant that it names, or if the
  /// machine has booted since it was saved.
  var muteEndInThisBoot: Duration? {
    muteEnd.flatMap { $0.boot == SystemClock.boot ? $0.sinceBoot : nil }
  }

  /// The timers, as they are after this start of the service.
  func timers(at now: Now) -> Timers {
    Timers(
      timers, interval, isSameBoot: timersBoot != nil && timersBoot == SystemClock.boot, at: now)
  }

  /// The alarms, as they are after this start of the service.
  func alarms(at now: Now) -> Alarms {
    Alarms(
      alarms, isSameBoot: timersBoot != nil && timersBoot == SystemClock.boot,
      zoneOffset: zoneOffset, at: now)
  }

  /// Takes the mute, the timers, the interval, the alarms and the last occasion that sounded.
  mutating func take(_ announcer: Announcer) {
    mute = announcer.mute
    muteEnd = announcer.muteEndsSinceBoot.flatMap { sinceBoot in
      SystemClock.boot.map { End(boot: $0, sinceBoot: sinceBoot) }
    }
    timers = announcer.timers.countdowns
    interval = announcer.timers.interval
    alarms = announcer.alarms.alarms
    zoneOffset = alarms.isEmpty ? nil : announcer.alarms.zoneOffset
    let isEmpty = timers.isEmpty && interval == nil && alarms.isEmpty
    timersBoot = isEmpty ? nil : SystemClock.boot
    // Leave out a time of a clock that is far off: the file would be refused later.
    sounded = announcer.lastSounded.flatMap {
      Self.times.contains($0.nanoseconds / 1000) ? $0 : nil
    }
  }

  /// True if something differs that must be saved soon. The last occasion that sounded can wait.
  func isUrgent(after old: SavedState) -> Bool {
    var same = old
    same.sounded = sounded
    return self != same
  }
}

// MARK: As text

extension SavedState {
  private static let seal = #","checksum":""#

  /// One JSON object on a line; its last value is the CRC-32 of the text before it.
  var text: String {
    let line = JSONLine()
    line.set("version", Self.version)
    switch mute {
    case .off: break
    case .on: line.set("mute", "on")
    case .next: line.set("mute", "next")
    case .until(let end): line.set("mute_until_usec", end.savedMicroseconds)
    }
    if let muteEnd {
      line.set("mute_boot", muteEnd.boot)
      line.set("mute_until_boot_usec", Int(muteEnd.sinceBoot.nanoseconds / 1000))
    }
    if let volume {
      line.set("volume_db", exactly: volume.decibels)
      line.set("volume_configured_db", exactly: volume.configured)
    }
    if let sounded { line.set("sounded_usec", Int(sounded.nanoseconds / 1000)) }
    if let timersBoot { line.set("timers_boot", timersBoot) }
    if !timers.isEmpty { line.set("timers", timers.map(\.saved)) }
    if let interval { line.set("intervals", [interval.saved]) }
    if let zoneOffset { line.set("zone_offset_seconds", Int(zoneOffset.inSeconds)) }
    if !alarms.isEmpty { line.set("alarms", alarms.map(\.saved)) }
    let open = line.text.dropLast()
    return "\(open)\(Self.seal)\(String(CRC32.of(open), radix: 16))\"}\n"
  }

  /// - Throws: `Fault` for anything but the whole text of a state, of this version or an earlier
  ///   one.
  init(text: String, path: String) throws(Fault) {
    guard let object = try? JSONObject(text, path: path) else {
      throw Fault(path, "it is torn, or no state")
    }
    guard let version = try object.integer("version") else {
      throw Fault(path, "it has no version")
    }
    guard (1...Int64(Self.version)).contains(version) else {
      throw Fault(path, "it is of version \(version), and this program knows \(Self.version)")
    }
    guard version == 1 || Self.isSealed(text) else {
      throw Fault(path, "its checksum is wrong: it is torn, or was edited")
    }
    if let end = try object.microseconds("mute_until_usec") {
      mute = .until(Instant(nanoseconds: end * 1000))
    } else if let text = try object.text("mute") {
      guard let mute: SoftwareMute = ["on": .on, "next": .next][text] else {
        throw Fault(path, "mute '\(text.excerpt)' is neither on nor next")
      }
      self.mute = mute
    }
    let boot = try object.text("mute_boot")
    let sinceBoot = try object.microseconds("mute_until_boot_usec")
    switch (mute, boot, sinceBoot) {
    case (_, nil, nil): break
    case (.until, let boot?, let sinceBoot?):
      muteEnd = End(boot: boot, sinceBoot: .microseconds(sinceBoot))
    default:
      throw Fault(path, "it lacks mute_until_usec, mute_boot or mute_until_boot_usec")
    }
    switch (try object.number("volume_db"), try object.number("volume_configured_db")) {
    case (nil, nil): break
    case (let decibels?, let configured?):
      guard VolumeRange.decibels.contains(decibels) else {
        throw Fault(path, "volume_db \(decibels) is not \(VolumeRange.words)")
      }
      volume = Volume(decibels: decibels, configured: configured)
    default: throw Fault(path, "it lacks volume_db or volume_configured_db")
    }
    sounded = try object.microseconds("sounded_usec").map { Instant(nanoseconds: $0 * 1000) }
    timersBoot = try object.text("timers_boot")
    timers = try Countdown.all(in: try object.objects("timers"), path: path)
    interval = try IntervalTimer(in: try object.objects("intervals"), path: path)
    zoneOffset = try object.zoneOffset("zone_offset_seconds")
    alarms = try Alarm.all(in: try object.objects("alarms"), path: path) { try? Sounds.tune($0) }
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

/// The volumes that are allowed.
enum VolumeRange {
  static let decibels = -60.0...0.0
  static let words = "-60 to 0 dB"
}

extension JSONObject {
  fileprivate func zoneOffset(_ key: String) throws(Fault) -> Duration? {
    guard let seconds = try integer(key) else { return nil }
    // No zone is that far from UTC.
    guard seconds.magnitude <= 2 * 86_400 else {
      throw Fault(path, "\(key) \(seconds) is no offset of a zone")
    }
    return .seconds(seconds)
  }

  /// A time from 1970 to 2200, or a span of at most that length since boot.
  func microseconds(_ key: String) throws(Fault) -> Int64? {
    guard let count = try integer(key) else { return nil }
    guard SavedState.times.contains(count) else {
      throw Fault(path, "\(key) \(count) is no time from 1970 to 2200")
    }
    return count
  }
}
