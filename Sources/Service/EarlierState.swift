import Basics
import Horology

/// States of version 1 and 2 counted in microseconds, and had other names for most keys.
extension Record {
  /// Turns such a state into one of version 3.
  mutating func modernise() {
    let isMutedForASpan = self["mute_until_usec"] != nil
    rename([
      "mute": "software_mute", "mute_until": "muted_until", "mute_until_boot": "muted_until_boot",
      "timers_boot": "boot", "zone_offset_seconds": "zone_offset",
    ])
    self["boot"] = self["boot"] ?? self["mute_boot"]
    if isMutedForASpan { self["software_mute"] = .text("until") }
    modernise("timers") { timer in
      timer["state"] = .text(
        timer["left_usec"] != nil ? "paused" : timer["zero_usec"] != nil ? "running" : "ringing")
      timer.rename(["length": "seconds", "zero": "ends", "ringing": "ends"])
    }
    modernise("intervals") { interval in
      interval.rename(["every": "seconds", "start": "started"])
      if interval["work"] != nil { interval["countdown"] = interval["countdown"] ?? .integer(0) }
    }
    modernise("alarms") { alarm in
      alarm["state"] = .text(
        alarm["ringing_usec"] != nil
          ? "ringing" : alarm["snoozing_usec"] != nil ? "snoozing" : "waiting")
      if case .integer(let length)? = alarm["rise_usec"] {
        let level = Key.real("rise_db", -60...0, "dB")
        alarm["rise"] = AlarmRise(from: alarm[level] ?? 0, over: .microseconds(length))
          .map { .text($0.description) }
      }
      alarm.rename(["next": "rings", "ringing": "since", "snoozing": "rings", "ring": "occasion"])
    }
  }

  /// Alarms of an earlier version 3 knew the instant that they were done with, instead of the date,
  /// and the instant of their next ring.
  mutating func moderniseAlarms() {
    guard let offset = self[Key.seconds("zone_offset", .seconds(-172_800) ... .seconds(172_800))]
    else { return }
    modernise("alarms") { alarm in
      let next = alarm[Key<Instant>.instant("promised")] ?? alarm[.instant("rings")]
      if let next, alarm["from"] == nil, alarm["state"] == .text("waiting") {
        alarm[.instant("rings_after")] = next - .seconds(1)
      }
      let instants = ["acknowledged", "skipped"].compactMap { alarm[Key<Instant>.instant($0)] }
      guard let done = instants.max(), alarm["done"] == nil else { return }
      alarm["done"] = .text(String((done + offset).utcText().prefix(10)))
    }
  }

  private mutating func modernise(_ list: String, _ change: (inout Record) -> Void) {
    guard case .list(let values)? = self[list] else { return }
    self[list] = .list(
      values.map { value in
        guard case .record(var record) = value else { return value }
        change(&record)
        return .record(record)
      })
  }

  /// The spans of an earlier state. Other microseconds are instants, and, with `_boot` behind the
  /// name, spans since the machine started.
  private static let spans: Set = ["length", "left", "every", "work", "rest", "prepare", "rise"]

  /// Renames keys, with their `_boot`, and turns microseconds into seconds and instants.
  private mutating func rename(_ names: [String: String]) {
    for (key, value) in fields {
      let suffix = ["_boot_usec", "_usec"].first { key.hasSuffix($0) } ?? ""
      let stem = String(key.dropLast(suffix.count))
      var new = value
      if case .integer(let microseconds) = value, !suffix.isEmpty {
        if suffix == "_boot_usec" || Self.spans.contains(stem) {
          new = .real(Double(microseconds) / 1e6)
        } else if microseconds >= 0 {
          new = .text(Instant(microseconds: microseconds).rfc3339)
        }
      }
      self[key] = nil
      self[(names[stem] ?? stem) + (suffix == "_boot_usec" ? "_boot" : "")] = new
    }
  }
}
