import Basics
import Daemon

/// The commands that a message may give, and the action for each.
enum CommandTable {
  struct Entry: Sendable {
    /// The keys that it may hold, besides those of every command.
    let keys: Set<String>
    /// True if it may hold `at`, the instant at which it sounds.
    var mayWait = false
    /// - Throws: `Fault` for a value that is missing or not allowed.
    let read: @Sendable (JSONObject) throws(Fault) -> Order.Action
  }

  static var names: String { entries.keys.sorted().joined(separator: ", ") }

  static let entries: [String: Entry] = [
    "announce": Entry(keys: ["time"], mayWait: true) { object throws(Fault) in
      let text = try object.text("time")
      let parts = try text.map { text throws(Fault) in try time(text) }
      if let instant = try object.time("at") {
        return .call(
          .method(
            "AnnounceAt", [.unsigned(UInt64(instant.microseconds)), .text(text ?? "")]))
      }
      guard let (hour, minute) = parts else { return .call(.method("Announce", [])) }
      return .call(.method("AnnounceTime", [.small(hour), .small(minute)]))
    },
    "stop": plain("Stop"),
    "cancel": Entry(keys: ["id"]) { object throws(Fault) in
      guard let id = try object.text("id") else { throw missing("id", "\"bell-7\"") }
      return .cancel(id: id)
    },
    "device_add": Entry(
      keys: ["token", "platform", "environment", "events"]
    ) { object throws(Fault) in
      var device = try phone(object)
      if let platform = try object.text("platform") { try device.setPlatform(platform) }
      if let environment = try object.text("environment") {
        try device.setEnvironment(environment)
      }
      if let events = try object.text("events") { try device.setEvents(events) }
      return .register(device)
    },
    "device_remove": Entry(keys: ["token"]) { object throws(Fault) in
      .remove(token: try phone(object).token)
    },
    "mute": Entry(keys: ["for", "until"]) { object throws(Fault) in
      let span = try object.span("for", .mute)
      guard let until = try object.text("until") else {
        // On the bus, 0 means no end.
        return .call(.method("Mute", [.unsigned(span ?? 0)]))
      }
      guard until == "next", span == nil else {
        throw Fault(Order.place, "until may be \"next\", and then without 'for'")
      }
      return .call(.method("MuteNext", []))
    },
    "unmute": plain("Unmute"),
    "volume": Entry(keys: ["decibels"]) { object throws(Fault) in
      guard let decibels = try object.number("decibels") else { throw missing("decibels", "-12.5") }
      guard -60...0 ~= decibels else {
        throw Fault(Order.place, "decibels \(decibels.shown) is not allowed; write -60 to 0")
      }
      return .call(.setVolume(decibels))
    },

    "timer": Entry(keys: ["seconds", "name"]) { object throws(Fault) in
      let length = try object.wanted("seconds", .timer)
      return .call(
        .method("StartTimer", [.unsigned(length), .text(try object.text("name") ?? "")]))
    },
    "timer_add": Entry(keys: ["seconds", "timer"]) { object throws(Fault) in
      .call(
        .method(
          "AddToTimer",
          [.text(try object.wantedText("timer")), .unsigned(try object.wanted("seconds", .timer))]))
    },
    "timer_pause": one("PauseTimer", "timer"),
    "timer_resume": one("ResumeTimer", "timer"),
    "timer_cancel": one("CancelTimer", "timer"),

    "interval": Entry(keys: ["seconds", "replace"]) { object throws(Fault) in
      .call(
        .method(
          "StartInterval",
          [
            .unsigned(try object.wanted("seconds", .interval)),
            .flag(try object.flag("replace") ?? false),
          ]))
    },
    "rounds": Entry(
      keys: ["work", "rest", "rounds", "prepare", "countdown", "words", "replace"]
    ) { object throws(Fault) in
      .call(
        .method(
          "StartRounds",
          [
            .unsigned(try object.wanted("work", .interval)),
            .unsigned(try object.wanted("rest", .pause)),
            .small(
              try object.count(
                "rounds", 1...1000, "write 1 to 1000, or leave it out for no end") ?? 0),
            .unsigned(try object.span("prepare", .pause) ?? 0),
            .small(try object.count("countdown", 0...10, "write 0 to 10") ?? 0),
            .flag(try object.flag("words") ?? false),
            .flag(try object.flag("replace") ?? false),
          ]))
    },
    "interval_stop": plain("StopInterval"),

    "alarm": Entry(keys: ["time", "days", "name", "tune", "rise"]) { object throws(Fault) in
      let text = try object.wantedText("time", "\"07:00\"")
      _ = try time(text)
      // The network must not choose which files the announcer opens.
      if let tune = try object.text("tune"), tune.utf8.contains(UInt8(ascii: "/")) {
        throw Fault(
          Order.place,
          "tune \"\(tune.excerpt)\" is a path; write the name of a tune, as in \"westminster\"")
      }
      var values: [BusValue] = [.text(text)]
      for key in ["days", "name", "tune", "rise"] {
        values.append(.text(try object.text(key) ?? ""))
      }
      return .call(.method("SetAlarm", values))
    },
    "alarm_snooze": oneOrAll("SnoozeAlarm", "alarm"),
    "alarm_stop": oneOrAll("StopAlarm", "alarm"),
    "alarm_skip": one("SkipAlarm", "alarm"),
    "alarm_cancel": one("CancelAlarm", "alarm"),
  ]

  private static func plain(_ method: String) -> Entry {
    Entry(keys: []) { _ throws(Fault) in .call(.method(method, [])) }
  }

  /// A method that takes one name or number.
  private static func one(_ method: String, _ key: String) -> Entry {
    Entry(keys: [key]) { object throws(Fault) in
      .call(.method(method, [.text(try object.wantedText(key))]))
    }
  }

  /// A method that takes one name or number. Without it, the method for all that ring.
  private static func oneOrAll(_ method: String, _ key: String) -> Entry {
    Entry(keys: [key]) { object throws(Fault) in
      object.keys.contains(key)
        ? .call(.method(method, [.text(try object.wantedText(key))]))
        : .call(.method(method + "s", []))
    }
  }

  /// The phone with the token in the command. The token itself is not told: it is private.
  private static func phone(_ object: JSONObject) throws(Fault) -> Device {
    guard let token = try object.text("token") else {
      throw Fault(Order.place, "'token' is missing: the token that APNs has given to the app")
    }
    do throws(Fault) {
      return try Device(token: token)
    } catch {
      throw Fault(Order.place, "token: \(error.detail)")
    }
  }

  fileprivate static func missing(_ key: String, _ example: String) -> Fault {
    Fault(Order.place, "'\(key)' is missing, as in \"\(key)\": \(example)")
  }

  /// Reads `HH:MM`.
  private static func time(_ text: String) throws(Fault) -> (hour: UInt32, minute: UInt32) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard text.utf8.count == 5, parts.count == 2, parts[0].utf8.count == 2,
      text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: ":") }),
      let hour = UInt32(parts[0]),
      let minute = UInt32(parts[1]), hour < 24, minute < 60
    else {
      throw Fault(Order.place, "time \"\(text.excerpt)\" is no time of day; write HH:MM")
    }
    return (hour, minute)
  }
}

/// The spans that the announcer allows, as Countdown, IntervalPlan and SoftwareMute have them.
private enum Span {
  case mute, timer, interval
  /// Of rounds: what they may do without.
  case pause

  func allows(microseconds: Double) -> Bool {
    switch self {
    case .mute: 1...2_678_400e6 ~= microseconds
    case .timer: 1e6...2_678_400e6 ~= microseconds
    case .interval: 1e6...86_400e6 ~= microseconds
    case .pause: microseconds == 0 || 1e6...86_400e6 ~= microseconds
    }
  }

  var allowed: String {
    switch self {
    case .mute: "write seconds, up to 2678400 (31 days), or leave it out for no end"
    case .timer: "write seconds from 1 to 2678400 (31 days)"
    case .interval: "write seconds from 1 to 86400 (a day)"
    case .pause: "write seconds from 1 to 86400 (a day), or 0 for none"
    }
  }
}

extension Double {
  /// As a person writes it: `60`, `0.5`.
  fileprivate var shown: String { Int64(exactly: self).map { "\($0)" } ?? "\(self)" }
}

extension JSONObject {
  /// A span in seconds, as microseconds; nil if the key is not there.
  fileprivate func span(_ key: String, _ span: Span) throws(Fault) -> UInt64? {
    guard let seconds = try number(key) else { return nil }
    let microseconds = seconds * 1e6
    guard span.allows(microseconds: microseconds) else {
      throw Fault(path, "\(key) \(seconds.shown) is not allowed; \(span.allowed)")
    }
    return UInt64(microseconds.rounded())
  }

  fileprivate func wanted(_ key: String, _ span: Span) throws(Fault) -> UInt64 {
    guard let found = try self.span(key, span) else {
      throw Fault(path, "'\(key)' is missing; \(span.allowed)")
    }
    return found
  }

  /// A text that is not empty. The number of a timer or an alarm is taken as text, too.
  fileprivate func wantedText(
    _ key: String, _ example: String = "\"tea\""
  ) throws(Fault) -> String {
    if let number = try? integer(key) { return String(number) }
    let found: String?
    do throws(Fault) {
      found = try text(key)
    } catch {
      throw Fault(path, "\(error.detail); write a text, as in \"\(key)\": \(example)")
    }
    if found == "" { throw Fault(path, "\(key) is empty; write it as in \"\(key)\": \(example)") }
    if let found { return found }
    throw CommandTable.missing(key, example)
  }

  fileprivate func count(
    _ key: String, _ range: ClosedRange<Int64>, _ allowed: String
  ) throws(Fault) -> UInt32? {
    guard let number = try integer(key) else { return nil }
    guard range.contains(number) else {
      throw Fault(path, "\(key) \(number) is not allowed; \(allowed)")
    }
    return UInt32(number)
  }

  /// An instant of UTC: a text of ISO 8601 with a Z, or a number of seconds since 1970.
  func time(_ key: String) throws(Fault) -> UTCTime? {
    let form = "write UTC as in \"2026-11-22T15:00:00Z\", or seconds since 1970"
    if let seconds = try? number(key) {
      guard let time = UTCTime(seconds: seconds) else {
        throw Fault(path, "\(key) \(seconds) is no instant from 1970 to 2199; \(form)")
      }
      return time
    }
    let found: String?
    do throws(Fault) {
      found = try text(key)
    } catch {
      throw Fault(path, "\(error.detail); \(form)")
    }
    guard let found else { return nil }
    guard let time = UTCTime(text: found) else {
      throw Fault(path, "\(key) \"\(found.excerpt)\" is no instant from 1970 to 2199; \(form)")
    }
    return time
  }
}
