import Basics
import Devices
@preconcurrency import Glibc
import Horology
import Service
import Sound

let statusCommand = Subcommand(
  name: "status", operands: "", mostOperands: 0,
  summary: "show the time, what sounds next, and whether the clock can be trusted",
  details: """
    Shows the time, what sounds next, how far the clock can be trusted, the switch and the speaker,
    as the running service sees them. With --config it shows what a service with this configuration
    would see. So it does without a service; then the first line says that the clock is not running,
    and the exit status is 3.

    If the configuration has an error, a line says so, in JSON as configuration_error. A running
    service keeps the settings that it has, so its status is shown all the same.
    """,
  options: [
    Option(
      name: "follow", argument: nil,
      help:
        "keep showing it, with the time updated each\nsecond, until Ctrl-C; if the output is no terminal,"
        + "\nor TERM is dumb or not set, print a line for each\nchange"),
    Option(
      name: "json", argument: nil,
      help: "print one JSON object; with --follow, one for each\nchange"),
    configOption,
  ]
) { arguments in
  let view = try StatusView(configurationPath: arguments["config"])
  if arguments.has("follow") {
    try StatusFace(view, isJSON: arguments.has("json")).run()
    return ExitStatus.done
  }
  let seen = try view.seen()
  if arguments.has("json") {
    try say(seen.record.json)
  } else {
    for line in seen.lines() { try say(line.text) }
  }
  return seen.isMissing ? ExitStatus.found : ExitStatus.done
}

/// Asks the running service; without one, works out how a service would see the clock.
final class StatusView {
  /// The zone of the service, or else of this program.
  private(set) var zone: SystemZone
  private let configurationPath: String?
  /// True if the bus could be asked for the service.
  private var isKnown = true
  private var settings: Result<(configuration: Configuration, composer: Composer), Fault>
  private let watch: ClockWatch
  var service: RunningService?

  /// - Throws: `Fault` if there is no service and the zone is not known.
  init(configurationPath: String?) throws(Fault) {
    self.configurationPath = configurationPath
    var service: RunningService?
    if configurationPath == nil {
      do throws(Fault) {
        service = try RunningService()
      } catch {
        complain("note: \(error)")
        isKnown = false
      }
    }
    settings = Self.settings(configurationPath)
    let configuration = (try? settings.get())?.configuration ?? Configuration()
    do throws(Fault) {
      zone = try configuration.currentZone()
    } catch {
      // A service has its own zone, so this one is not needed.
      guard service != nil else { throw error }
      zone = .universal
    }
    self.service = service
    watch = ClockWatch(rtc: configuration.rtc, greatestError: configuration.greatestError)
  }

  func findService() {
    guard configurationPath == nil, service == nil else { return }
    service = try? RunningService(patience: .milliseconds(200))
  }

  /// - Throws: `Fault` if the service is there and does not answer, and if there is no service and
  ///   the configuration cannot be used.
  func seen() throws(Fault) -> Seen {
    let now = SystemClock.now
    _ = watch.judge()
    // Its error may have been corrected since.
    if case .failure = settings { readConfiguration() }
    var status: Status
    var voice: String?
    if let service {
      status = try service.status()
      let own = try? settings.get()
      if own?.configuration.voice == status.voice { voice = own?.composer.voice.description }
    } else {
      let own = try settings.get()
      let announcer = Announcer(
        settings: own.configuration.announcer, zone: zone, trust: watch.state.trust, at: now)
      status = Status(own.configuration, own.composer, announcer, clock: watch.state)
      // Nobody reads the switch.
      status.switchState = ""
      voice = own.composer.voice.description
    }
    let error: Fault? = if case .failure(let fault) = settings { fault } else { nil }
    if status.zone != zone.name { zone = try zoneOfService(status.zone, or: zone) }
    return Seen(
      status: status, instant: now.instant, zone: zone, isRunning: service != nil,
      isMissing: service == nil && isKnown && configurationPath == nil,
      rtc: watch.rtc, voice: voice, configurationError: error?.description)
  }

  func readConfiguration() { settings = Self.settings(configurationPath) }

  private static func settings(_ path: String?) -> Result<
    (configuration: Configuration, composer: Composer), Fault
  > {
    Result { () throws(Fault) in
      let configuration = try Configuration.load(path: path)
      return (configuration, try configuration.composer())
    }
  }
}

struct Seen {
  let status: Status
  var instant: Instant
  let zone: SystemZone
  let isRunning: Bool
  /// There should be a service, and there is none.
  let isMissing: Bool
  let rtc: RTCJudgement?
  /// The description in the voice pack; nil if it is not known.
  let voice: String?
  /// Why the configuration cannot be used; nil if it can.
  let configurationError: String?

  struct Line {
    let label: String
    let value: String

    init(_ label: String, _ value: String) {
      (self.label, self.value) = (label, value)
    }

    /// As in `next     15:15:00, in 3 min: "three fifteen P M"`.
    var text: String { "\(label.padded(to: 8)) \(value)" }
  }

  var inOneLine: String {
    lines().map { "\($0.label) \($0.value)" }.joined(separator: "; ")
  }

  private var time: Line {
    let local = zone.civil(at: instant)
    let face = "\(local.weekday.abbreviation) \(local.dateTime)"
    return Line("now", "\(face) \(zone.name) (UTC\(local.offsetText))")
  }

  func lines() -> [Line] {
    let missing = Line(
      "clock", "it is not running; \(startAdvice). This is what it would show:")
    return (isMissing ? [missing] : []) + [time, next] + timers + intervals + alarm + lasting
  }

  private var timers: [Line] {
    status.timers.map { timer in
      let left = timer.left(at: instant)
      let name = timer.numberAndName
      return switch timer.state {
      case .ringing, .snoozing: Line("timer", "\(name) rings")
      case .paused: Line("timer", "\(name) is paused, \(left.roundedUp) left")
      case .waiting:
        Line("timer", TimerBar.text(title: name, left: left, of: timer.length ?? left))
      }
    }
  }

  /// The alarms that ring, or else the next alarm, even if it will be silent.
  private var alarm: [Line] {
    let shown = status.alarms.shown.map { listed in
      Line("alarm", "\(listed.alarm.numberAndName) \(listed.outlook(at: instant, zone))")
    }
    let others = status.alarms.count - shown.count
    return shown + (others > 0 ? [Line("alarms", "and \(others) more")] : [])
  }

  private var intervals: [Line] {
    status.intervals.compactMap { interval in
      interval.plan.moment(at: interval.passed(at: instant)).map { title, left, length in
        Line("interval", TimerBar.text(title: title, left: left, of: length))
      }
    }
  }

  /// The lines that do not change with time alone.
  var lasting: [Line] {
    let volume = status.volume == 0 ? "" : ", \(status.volume) dB"
    let lines: [Line?] = [
      Line("clock", status.clockWords),
      switchState,
      status.mute.inWords(in: zone).map { Line("muted", $0) },
      status.playing.isEmpty ? nil : Line("sounding", "\"\(status.playing)\""),
      Line("speaker", status.speaker + volume),
      Line("voice", [status.voice, voice].compactMap { $0 }.joined(separator: ", ")),
      status.last?.onsetError.map {
        Line("onset", "\($0.milliseconds), of the last announcement")
      },
      status.stateLoss.isEmpty ? nil : Line("trouble", status.stateLoss),
      status.lastError.isEmpty ? nil : Line("trouble", status.lastError),
      status.stateWords.map { Line("state", $0) },
      configurationError.map {
        Line("settings", "\($0); the clock keeps the settings that it has")
      },
    ]
    return lines.compactMap { $0 }
  }

  private var next: Line {
    let wait = (status.next.instant - instant).inWords
    let what = status.next.reason.map { "silent: \($0)" } ?? sounds
    let time = status.next.local.split(separator: "T").last?.prefix(8) ?? ""
    return Line("next", "\(time), in \(wait): \(what)")
  }

  /// As in `westminster, "three o'clock"`.
  private var sounds: String {
    let words = status.next.text.isEmpty ? "" : "\"\(status.next.text)\""
    return [status.next.chime, words].filter { !["", "none"].contains($0) }.joined(separator: ", ")
  }

  private var switchState: Line? {
    switch status.switchState {
    case "", "absent": nil
    case "off": Line("switch", "off: silence")
    case "lost": Line("switch", "cannot be read: \(status.switchError)")
    default: Line("switch", status.switchState)
    }
  }

  var record: Record {
    var record = Record()
    record[Self.at] = instant
    record[Self.local] = zone.civil(at: instant).description
    record[Self.running] = isRunning
    record[Self.rtc] = rtc?.reading.name
    record[Self.rtcIsValid] = rtc?.isValid
    record[Self.configurationError] = configurationError
    for (key, value) in status.record.fields { record[key] = value }
    // The bus does not tell the phase: it changes by itself.
    record[Self.intervals] = status.intervals.map { interval in
      var record = interval.shown
      let passed = interval.passed(at: instant)
      if let phase = interval.plan.phase(at: passed) {
        record[Self.phase] = phase.kind.rawValue
        record[Self.round] = phase.round
        record[.left] = phase.end - max(passed, .zero)
      }
      return record
    }
    return record
  }

  private static let intervals = Key<[Record]>.records("intervals")
  private static let phase = Key<String>.text("phase")
  private static let round = Key<Int>.integer("round", 0...IntervalPlan.mostRounds)

  private static let at = Key<Instant>.instant("instant")
  private static let local = Key<String>.text("local")
  private static let running = Key<Bool>.flag("running")
  private static let rtc = Key<String>.text("rtc")
  private static let rtcIsValid = Key<Bool>.flag("rtc_valid")
  private static let configurationError = Key<String>.text("configuration_error")
}
