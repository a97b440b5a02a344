import Basics
import Daemon
@preconcurrency import Glibc
import Horology

extension RelayService {
  /// Opens the door for apps with the current configuration and its files, or closes it.
  func openDoor() {
    doorTimer = nil
    guard let http = configuration.http else {
      phones = nil
      return closeDoor()
    }
    do throws(Fault) {
      let settings = try HTTPDoor.Settings(http)
      if let door, door.settings == settings { return }
      closeDoor()
      usePhones(http)
      door = try HTTPDoor(
        loop, settings,
        .init(
          state: { [unowned self] in stateForApps },
          time: { [unowned self] in
            // For the next answer: a page asks every minute.
            announcer.refresh()
            return time.json
          },
          notices: { [unowned self] in notices.json(at: .now) },
          agenda: { [unowned self] answer in
            let now = Instant.now
            agenda(from: now, to: now + .seconds(86_400)) { answer($0.map(\.json)) }
          },
          settings: { [unowned self] answer in
            announcer.call("Settings", Record()) { answer($0.map(\.json)) }
          },
          noon: { [unowned self] in renderer.render(noon, $0) },
          voice: { [unowned self] in say(in: $0, $1) },
          words: { [unowned self] in words },
          carryOut: { [unowned self] in handleRequest($0, $1, $2, $3) },
          refused: { [unowned self] in reject($0, $1) }, phones: phones))
      if http.face != .no, !http.listen.isLoopback {
        avahi = Avahi(loop, port: http.listen.port, usesTLS: http.usesTLS)
      }
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
    (door, avahi) = (nil, nil)
  }

  /// What they wait for outlasts another opening of the door.
  private func usePhones(_ http: HTTPConfiguration) {
    if http.face == .no {
      phones = nil
    } else if let phones {
      phones.http = http
    } else {
      let phones = Phones(loop, journal, register, http)
      phones.revoked = { [unowned self] number in door?.streams.end { $0.phone == number } }
      self.phones = phones
    }
  }

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

  private var time: Record {
    let now = Instant.now
    let time = Record([
      "instant": .text(now.rfc3339), "local": .text(CivilTime(now, zone: zone).description),
      "zone": .text(zone ?? ""),
    ])
    return isRunning ? time.merging(announcer.state.uncertainty) : time
  }

  /// The picture of the next noon.
  private var noon: Rendering {
    let day = CivilTime(.now + .seconds(12 * 3600), zone: zone).dateTime.date
    let words = ["render", "--at", "\(day)T12:00"] + (zone.map { ["--zone", $0] } ?? [])
    return Rendering(words: words + ["--picture"], file: "noon.svg")
  }

  /// Has the time said by a voice that is installed.
  private func say(in voice: String, _ answer: @escaping HTTPDoor.Rendered) {
    let isThere = dataFolders(ofTree: "sounds", with: "voices").contains {
      access("\($0)/voices/\(voice)/voice.conf", F_OK) == 0
    }
    guard isThere, !voice.contains("/") else {
      return answer(.failure(Rejection(.unknown, "there is no voice '\(voice.excerpt)'")))
    }
    let time = CivilTime(.now, zone: zone).dateTime.timeOfDay.prefix(5)
    renderer.render(
      Rendering(words: ["voice", "try", voice, String(time), "--output"], file: "voice.wav"), answer
    )
  }

  /// What the page says without JavaScript.
  private var words: [Substring: String] {
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
    return [
      "time": String(CivilTime(.now, zone: zone).dateTime.timeOfDay.prefix(5)), "next": next,
      "trust": announcer.absence ?? text("trust", of: state),
    ]
  }

  /// Asks for the agenda, which comes in parts.
  private func agenda(
    from start: Instant, to end: Instant, after lines: [Value] = [],
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
  private func handleRequest(
    _ path: String, _ body: [UInt8], _ known: [(key: String, text: String)],
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
    self.init(
      dateTime: CivilDateTime(
        shownYear: Int(fields.tm_year) + 1900, month: Int(fields.tm_mon) + 1,
        day: Int(fields.tm_mday), hour: Int(fields.tm_hour), minute: Int(fields.tm_min),
        second: min(Int(fields.tm_sec), 59)),
      weekday: Weekday(rawValue: Int(fields.tm_wday))!, utcOffsetSeconds: Int(fields.tm_gmtoff))
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
