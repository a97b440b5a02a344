import Basics
import Daemon
@preconcurrency import Glibc
import Horology

extension RelayService {
  /// Opens the door for apps with the current configuration and its files, or closes it.
  func openDoor() {
    doorTimer = nil
    guard let http = configuration.http else { return closeDoor() }
    do throws(Fault) {
      let settings = try HTTPDoor.Settings(http)
      if let door, door.settings == settings { return }
      closeDoor()
      door = try HTTPDoor(self, settings)
      _ = doorOutage.ends()
      journal.log(.http, .info, "apps are served at \(http.url)")
      if let complaint = settings.identity?.complaint {
        journal.log(
          .httpLost, .warning, "\(complaint); apps refuse it", ["DETAIL": complaint.description])
      }
    } catch {
      closeDoor()
      if doorOutage.begins() {
        journal.log(
          .httpLost, .error, "\(error); apps are not served until that is put right",
          ["DETAIL": error.description])
      }
      doorTimer = try? loop.after(doorOutage.nextWait()) { [unowned self] in openDoor() }
    }
  }

  func closeDoor() {
    doorTimer = nil
    door?.close()
    door = nil
  }

  // MARK: What apps ask for

  var stateForApps: Result<String, Rejection> {
    if let why = announcer.absence {
      .failure(Rejection(.absent, why))
    } else {
      .success(state ?? "{}")
    }
  }

  private var zone: String? {
    if case .text(let zone)? = announcer.state.record["zone"] { zone } else { nil }
  }

  /// As in `15:30`.
  var localTime: String { String(CivilTime(.now, zone: zone).dateTime.timeOfDay.prefix(5)) }

  /// Of the command that draws the next noon.
  var wordsOfNoon: [String] {
    let day = CivilTime(.now + .seconds(12 * 3600), zone: zone).dateTime.date
    return ["render", "--at", "\(day)T12:00"] + (zone.map { ["--zone", $0] } ?? []) + ["--picture"]
  }

  /// What the page says without JavaScript.
  var words: [Substring: String] {
    let state = announcer.state.record
    func text(_ key: String, of record: Record) -> String {
      if case .text(let text)? = record[key] { text } else { "" }
    }
    var next = ""
    if isRunning, case .record(let occasion)? = state["next"] {
      // As in `2026-11-21T15:15:00+01:00`.
      let time = text("local", of: occasion).dropFirst(11).prefix(5)
      let reason = text("reason", of: occasion)
      next = "\(time): " + (reason.isEmpty ? text("text", of: occasion) : "silent, \(reason)")
    }
    let trust = announcer.absence ?? text("trust", of: state)
    return ["time": localTime, "next": next, "trust": trust]
  }

  var time: Record {
    // No signal tells how far the clock may be off: ask, for the next answer. A page asks every minute.
    announcer.ask()
    let now = Instant.now
    let time = Record([
      "instant": .text(now.rfc3339), "local": .text(CivilTime(now, zone: zone).description),
      "zone": .text(zone ?? ""),
    ])
    return isRunning ? time.merging(announcer.state.uncertainty) : time
  }

  /// What will sound within a day. The clock tells it in parts.
  func agenda(_ answer: @escaping (Result<Record, Rejection>) -> Void) {
    let now = Instant.now
    agenda(from: now, to: now + .seconds(86_400), after: [], answer)
  }

  private func agenda(
    from start: Instant, to end: Instant, after lines: [Value],
    _ answer: @escaping (Result<Record, Rejection>) -> Void
  ) {
    let keys = Horology.Request.Keys.self
    let request = Record(keys.from, start).merging(Record(keys.to, end))
    announcer.call("Agenda", request) { [unowned self] part in
      guard case .success(var agenda) = part, case .list(let more)? = agenda["lines"] else {
        return answer(part)
      }
      // Every part has the next signal of the interval.
      let all = lines + (lines.isEmpty ? more : more.filter { !$0.isNextSignal })
      if let until = agenda[Key<Instant>.instant("until")], start < until, until < end {
        return self.agenda(from: until, to: end, after: all, answer)
      }
      agenda["lines"] = .list(all)
      answer(.success(agenda))
    }
  }

  /// Carries out an app's command as if it came from the broker.
  /// - Parameter known: keys of the command that the path tells.
  func handleRequest(
    _ path: String, _ body: [UInt8], _ known: Record = Record(),
    _ answer: @escaping (CommandOutcome) -> Void
  ) {
    do throws(Rejection) {
      let order = try reader.read(
        body, at: .now, clockIsUsed: announcer.state.clockIsUsed, with: known)
      carryOut(ReceivedCommand(order: order, topic: path, answer: answer))
    } catch {
      reject(error, path)
      answer(.refused(error))
    }
  }
}

extension Value {
  fileprivate var isNextSignal: Bool {
    guard case .record(let line) = self else { return false }
    return line["cause"] == .text("interval") && line["signal"] != .text("end")
  }
}

extension CivilTime {
  /// What the clocks of a zone show at an instant, by glibc.
  /// - Parameter zone: nil for that of the system.
  fileprivate init(_ instant: Instant, zone: String?) {
    // The relay shows no other local times. Other threads may read the environment, so it is changed
    // only if the zone is another one.
    if let zone, getenv("TZ").map({ String(cString: $0) }) != ":\(zone)" {
      setenv("TZ", ":\(zone)", 1)
    }
    tzset()
    var seconds = time_t(instant.seconds)
    var fields = tm()
    localtime_r(&seconds, &fields)
    self.init(at: instant, utcOffsetSeconds: Int(fields.tm_gmtoff))
  }
}

/// The clock's notices of the last day.
struct RecentNotices {
  private static let most = 300
  private static let age = Duration.seconds(86_400)

  private var notices: [(at: Instant, json: String)] = []

  /// - Returns: the notice as JSON.
  mutating func add(_ notice: Record, at now: Instant) -> String {
    let json = Record(["at": .text(now.rfc3339)]).merging(notice).json
    notices = notices.suffix(Self.most - 1) + [(now, json)]
    return json
  }

  /// As in `{"notices": [...]}`, the oldest first.
  func json(at now: Instant) -> String {
    let recent = notices.filter { now - $0.at < Self.age }.map(\.json)
    return "{\"notices\":[\(recent.joined(separator: ","))]}"
  }
}
