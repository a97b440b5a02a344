import Basics
@preconcurrency import Glibc
import Horology

/// What apps and the page are told of the clock, besides its state.
extension AnnouncerLink {
  private var zone: String? { state.record[Key<String>.text("zone")] }

  /// What the clocks of the zone show at an instant, by strftime(3).
  private func local(_ format: String, at instant: Instant = .now) -> String {
    // The relay shows no other local times. Other threads may read the environment, so it is changed
    // only if the zone is another one.
    if let zone, getenv("TZ").map({ String(cString: $0) }) != ":\(zone)" {
      setenv("TZ", ":\(zone)", 1)
    }
    tzset()
    var seconds = time_t(instant.seconds)
    var fields = tm()
    localtime_r(&seconds, &fields)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
      strftime(text.baseAddress!, text.count, format, &fields)
      return String(cString: text.baseAddress!)
    }
  }

  /// As in `15:30`.
  var localTime: String { local("%H:%M") }

  /// Of the command that draws the next noon.
  var wordsOfNoon: [String] {
    let day = local("%F", at: .now + .seconds(12 * 3600))
    return ["render", "--at", "\(day)T12:00"] + (zone.map { ["--zone", $0] } ?? []) + ["--picture"]
  }

  /// What the page says without JavaScript.
  var words: [Substring: String] {
    let state = state.record
    func text(_ key: String, of record: Record) -> String { record[.text(key)] ?? "" }
    // Without a zone no local time is right.
    if case .list(let keys)? = state["problem_keys"], keys.contains(.text("zone")) {
      return ["time": "–:––", "next": "", "trust": "the clock has no time zone"]
    }
    var next = ""
    if isRunning, case .record(let occasion)? = state["next"] {
      // As in `2026-11-21T15:15:00+01:00`.
      let time = text("local", of: occasion).dropFirst(11).prefix(5)
      let reason = text("reason", of: occasion)
      next = "\(time): " + (reason.isEmpty ? text("text", of: occasion) : "silent, \(reason)")
    }
    let trust = absence ?? text("trust", of: state)
    return ["time": localTime, "next": next, "trust": trust]
  }

  var time: Record {
    // No signal tells how far the clock may be off: ask, for the next answer. A page asks every minute.
    ask()
    let now = Instant.now
    // As +01:00, not +0100.
    let local = local("%FT%T%z", at: now)
    let time = Record([
      "instant": .text(now.rfc3339), "local": .text("\(local.dropLast(2)):\(local.suffix(2))"),
      "zone": .text(zone ?? ""),
    ])
    return isRunning ? time.merging(state.uncertainty) : time
  }

  /// What will sound within a day. The clock tells it in parts.
  func agenda(
    from start: Instant = .now, to end: Instant = .now + .seconds(86_400),
    after lines: [Value] = [], _ answer: @escaping (Result<Record, Rejection>) -> Void
  ) {
    call(.agenda(from: start, to: end)) { [unowned self] part in
      guard case .success(var agenda) = part, case .list(let more)? = agenda["lines"] else {
        return answer(part)
      }
      // Every part has the next signal of the interval.
      let all = lines + more.filter { !lines.contains($0) }
      if let until = agenda[Key<Instant>.instant("until")], start < until, until < end {
        return self.agenda(from: until, to: end, after: all, answer)
      }
      agenda["lines"] = .list(all)
      answer(.success(agenda))
    }
  }
}
