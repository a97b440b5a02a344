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
  let view = StatusView(configurationPath: arguments["config"])
  if arguments.has("follow") {
    try StatusFace(view, isJSON: arguments.has("json")).run()
    return ExitStatus.done
  }
  let seen = try view.seen()
  if arguments.has("json") {
    try say(seen.record.json)
  } else {
    for line in seen.lines { try say(line) }
  }
  return seen.isRunning || arguments.has("config") ? ExitStatus.done : ExitStatus.found
}

final class StatusView {
  private let configurationPath: String?
  private let watch: ClockWatch
  /// True if there should be a service, and the bus could be asked for it.
  private var wantsService: Bool
  var service: RunningService?

  init(configurationPath: String?) {
    self.configurationPath = configurationPath
    wantsService = configurationPath == nil
    let configuration = (try? Configuration.load(path: configurationPath)) ?? Configuration()
    watch = ClockWatch(rtc: configuration.rtc, greatestError: configuration.greatestError)
    guard wantsService else { return }
    do throws(Fault) {
      service = try RunningService()
    } catch {
      complain("note: \(error)")
      wantsService = false
    }
  }

  func findService() {
    guard configurationPath == nil, service == nil else { return }
    service = try? RunningService(patience: .milliseconds(200))
  }

  func seen() throws(Fault) -> Seen {
    let now = SystemClock.now
    _ = watch.judge()
    // Each time, for its error may have been corrected since.
    let own = Result { () throws(Fault) in
      let configuration = try Configuration.load(path: configurationPath)
      return (configuration, try configuration.composer())
    }
    var status: Status
    let zone: SystemZone
    if let service {
      status = try service.status()
      zone = try zoneOfService(status.zone)
    } else {
      let (configuration, composer) = try own.get()
      zone = try configuration.currentZone()
      let announcer = Announcer(
        settings: configuration.announcer, zone: zone, trust: watch.state.trust, at: now)
      status = Status(configuration, composer, announcer, clock: watch.state)
      // Nobody reads the switch.
      status.switchState = nil
    }
    let isSameVoice = (try? own.get().0.voice) == status.voice
    let error: Fault? = if case .failure(let fault) = own { fault } else { nil }
    return Seen(
      status: status, instant: now.instant, zone: zone, isRunning: service != nil,
      isMissing: service == nil && wantsService, rtc: watch.rtc,
      voice: isSameVoice ? try? own.get().1.voice.description : nil,
      configurationError: error?.description)
  }
}

struct Seen {
  let status: Status
  var instant: Instant
  let zone: SystemZone
  let isRunning: Bool
  let isMissing: Bool
  let rtc: RTCJudgement?
  let voice: String?
  let configurationError: String?

  typealias Line = (label: String, value: String)

  /// As in `next     15:15:00, in 3 min: "three fifteen P M"`.
  var lines: [String] { parts.map { "\($0.label.padded(to: 8)) \($0.value)" } }

  var inOneLine: String { parts.map { "\($0.label) \($0.value)" }.joined(separator: "; ") }

  private var parts: [Line] {
    let missing: Line = (
      "clock", "it is not running; \(startAdvice). This is what it would show:"
    )
    return (isMissing ? [missing] : []) + [time, next] + timers + intervals + alarm + lasting
  }

  private var time: Line {
    let local = zone.civil(at: instant)
    let face = "\(local.weekday.abbreviation) \(local.dateTime)"
    return ("now", "\(face) \(zone.name) (UTC\(local.offsetText))")
  }

  private var timers: [Line] {
    status.timers.map { timer in
      let left = timer.left(at: instant)
      let name = timer.numberAndName
      return switch timer.state {
      case .ringing, .snoozing: ("timer", "\(name) rings")
      case .paused: ("timer", "\(name) is paused, \(left.roundedUp) left")
      case .waiting:
        ("timer", TimerBar.text(title: name, left: left, of: timer.length ?? left))
      }
    }
  }

  /// The alarms that ring, or else the next alarm, even if it will be silent.
  private var alarm: [Line] {
    let shown = status.alarms.shown.map { listed in
      ("alarm", "\(listed.alarm.numberAndName) \(listed.outlook(at: instant, zone))")
    }
    let others = status.alarms.filter { !$0.alarm.isOff }.count - shown.count
    return shown + (others > 0 ? [("alarms", "and \(others) more")] : [])
  }

  private var intervals: [Line] {
    status.intervals.compactMap { interval in
      interval.plan.moment(at: interval.passed(at: instant)).map { title, left, length in
        ("interval", TimerBar.text(title: title, left: left, of: length))
      }
    }
  }

  private var lasting: [Line] {
    let volume = status.volume == 0 ? "" : ", \(status.volume) dB"
    let lines: [Line?] = [
      ("clock", status.clockWords),
      switchState,
      status.mute.inWords(in: zone).map { ("muted", $0) },
      status.playing.isEmpty ? nil : ("sounding", "\"\(status.playing)\""),
      ("speaker", status.speaker + volume),
      ("voice", [status.voice, voice].compactMap { $0 }.joined(separator: ", ")),
      status.last?.onsetError.map {
        ("onset", "\($0.milliseconds), of the last announcement")
      },
      status.stateLoss.isEmpty ? nil : ("trouble", status.stateLoss),
      status.lastError.isEmpty ? nil : ("trouble", status.lastError),
      status.stateWords.map { ("state", $0) },
      configurationError.map {
        ("settings", "\($0); the clock keeps the settings that it has")
      },
    ]
    return lines.compactMap { $0 }
  }

  private var next: Line {
    let wait = (status.next.instant - instant).inWords
    let what = status.next.reason.map { "silent: \($0)" } ?? sounds
    let time = status.next.local.split(separator: "T").last?.prefix(8) ?? ""
    return ("next", "\(time), in \(wait): \(what)")
  }

  /// As in `westminster, "three o'clock"`.
  private var sounds: String {
    let words = status.next.text.isEmpty ? "" : "\"\(status.next.text)\""
    return [status.next.chime, words].filter { !["", "none"].contains($0) }.joined(separator: ", ")
  }

  private var switchState: Line? {
    switch status.switchState {
    case nil, .absent?: nil
    case .on?: ("switch", "on")
    case .off?: ("switch", "off: silence")
    case .lost(let why)?: ("switch", "cannot be read: \(why)")
    }
  }

  var record: Record {
    var record = Record()
    record[.instant("instant")] = instant
    record[.text("local")] = zone.civil(at: instant).description
    record[.flag("running")] = isRunning
    record[.text("rtc")] = rtc?.reading.name
    record[.flag("rtc_valid")] = rtc?.isValid
    record[.text("configuration_error")] = configurationError
    for (key, value) in status.record.fields { record[key] = value }
    // The bus does not tell the phase: it changes by itself.
    record[.records("intervals")] = status.intervals.map { interval in
      var record = interval.shown
      let passed = interval.passed(at: instant)
      if let phase = interval.plan.phase(at: passed) {
        record[.text("phase")] = phase.kind.rawValue
        record[.integer("round", 0...IntervalPlan.mostRounds)] = phase.round
        record[.left] = phase.end - max(passed, .zero)
      }
      return record
    }
    return record
  }
}
