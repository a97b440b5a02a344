import Basics
import CJSON
import Devices
@preconcurrency import Glibc
import Horology

/// What a person has set at run time, and what outlasts the service and the power.
struct SavedState: Hashable {
  /// A volume in dB, in place of the configuration's.
  struct Volume: Hashable {
    let decibels: Double
    /// What the configuration said then: once it says something else, that counts.
    let configured: Double
  }

  /// When a mute for a span of time ends, by the clock of one start of the machine.
  struct End: Hashable {
    /// As `SystemClock.boot`.
    let boot: String
    let sinceBoot: Duration
  }

  var mute = SoftwareMute.off
  /// Nil if the mute ends at the instant that it names.
  var muteEnd: End?
  var volume: Volume?

  /// Of the form of the text. A text of a later one is not understood; the first had no checksum.
  static let version = 2

  init() {}
}

// MARK: The mute

extension SavedState {
  /// When the mute ends since the machine started; nil if it ends at the instant that it names,
  /// or the machine has started since it was saved.
  var muteEndInThisBoot: Duration? {
    muteEnd.flatMap { $0.boot == SystemClock.boot ? $0.sinceBoot : nil }
  }

  /// Takes the mute as it is now.
  mutating func take(_ announcer: Announcer) {
    mute = announcer.mute
    muteEnd = announcer.muteEndsSinceBoot.flatMap { sinceBoot in
      SystemClock.boot.map { End(boot: $0, sinceBoot: sinceBoot) }
    }
  }
}

// MARK: As text

extension SavedState {
  private static let seal = #","checksum":""#

  /// One JSON object on a line; its last value is the CRC-32 of what stands before it.
  var text: String {
    let line = JSONLine()
    line.set("version", Self.version)
    switch mute {
    case .off: break
    case .on: line.set("mute", "on")
    case .next: line.set("mute", "next")
    case .until(let end): line.set("mute_until_usec", Int(end.nanoseconds / 1000))
    }
    if let muteEnd {
      line.set("mute_boot", muteEnd.boot)
      line.set("mute_until_boot_usec", Int(muteEnd.sinceBoot.nanoseconds / 1000))
    }
    if let volume {
      line.set("volume_db", exactly: volume.decibels)
      line.set("volume_configured_db", exactly: volume.configured)
    }
    let open = line.text.dropLast()
    return "\(open)\(Self.seal)\(String(CRC32.of(open), radix: 16))\"}\n"
  }

  /// - Throws: `Fault` for anything but the whole text of a state of this version.
  init(text: String, path: String) throws(Fault) {
    guard let object = JSONText.object(text) else { throw Fault(path, "it is torn, or no state") }
    defer { json_object_put(object) }
    guard let version = JSONText.integer(object, "version") else {
      throw Fault(path, "it has no version")
    }
    guard (1...Int64(Self.version)).contains(version) else {
      throw Fault(path, "it is of version \(version), and this program knows \(Self.version)")
    }
    guard version == 1 || Self.isSealed(text) else {
      throw Fault(path, "its checksum is wrong: it is torn, or was edited")
    }
    if let end = JSONText.integer(object, "mute_until_usec") {
      // 1970 to 2200, so that nothing overflows.
      guard (0...7_258_118_400_000_000).contains(end) else {
        throw Fault(path, "mute_until_usec \(end) is no time from 1970 to 2200")
      }
      mute = .until(Instant(nanoseconds: end * 1000))
      if let boot = JSONText.text(object, "mute_boot"),
        let sinceBoot = JSONText.integer(object, "mute_until_boot_usec")
      {
        guard (0...7_258_118_400_000_000).contains(sinceBoot) else {
          throw Fault(path, "mute_until_boot_usec \(sinceBoot) is no time since a start")
        }
        muteEnd = End(boot: boot, sinceBoot: .microseconds(sinceBoot))
      }
    } else if let text = JSONText.text(object, "mute") {
      guard let mute: SoftwareMute = ["on": .on, "next": .next][text] else {
        throw Fault(path, "mute '\(text)' is neither on nor next")
      }
      self.mute = mute
    }
    if let decibels = JSONText.number(object, "volume_db"),
      let configured = JSONText.number(object, "volume_configured_db")
    {
      guard VolumeRange.decibels.contains(decibels) else {
        throw Fault(path, "volume_db \(decibels) is not \(VolumeRange.words)")
      }
      volume = Volume(decibels: decibels, configured: configured)
    }
  }
}

extension SavedState {
  /// True if a text ends in the checksum of what stands before it.
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

/// Reads what json-c has parsed.
private enum JSONText {
  /// The object that is all of the text; nil for anything else. To be put by the caller.
  static func object(_ text: String) -> OpaquePointer? {
    guard let tokener = json_tokener_new() else { return nil }
    defer { json_tokener_free(tokener) }
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT)
    let parsed = json_tokener_parse_ex(tokener, text, Int32(text.utf8.count))
    guard json_tokener_get_error(tokener) == json_tokener_success,
      json_object_is_type(parsed, json_type_object) == 1
    else {
      json_object_put(parsed)
      return nil
    }
    return parsed
  }

  static func integer(_ object: OpaquePointer, _ key: String) -> Int64? {
    value(object, key, json_type_int).map { json_object_get_int64($0) }
  }

  static func number(_ object: OpaquePointer, _ key: String) -> Double? {
    let number = value(object, key, json_type_double) ?? value(object, key, json_type_int)
    return number.map { json_object_get_double($0) }
  }

  static func text(_ object: OpaquePointer, _ key: String) -> String? {
    value(object, key, json_type_string).map { String(cString: json_object_get_string($0)) }
  }

  private static func value(
    _ object: OpaquePointer, _ key: String, _ type: json_type
  ) -> OpaquePointer? {
    var value: OpaquePointer?
    guard json_object_object_get_ex(object, key, &value) == 1,
      json_object_is_type(value, type) == 1
    else { return nil }
    return value
  }
}

/// What a volume may be.
enum VolumeRange {
  static let decibels = -60.0...0.0
  static let words = "-60 to 0 dB"
}
