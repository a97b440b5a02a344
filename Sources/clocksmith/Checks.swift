import Basics
import Devices
@preconcurrency import Glibc
import Horology
import Service
import Sound

/// Checks that the voice has the words that timers and intervals are set to say.
func checkTimers(_ configuration: Configuration) throws(Fault) -> Finding {
  let voice = try configuration.verifiedVoice()
  let settings = configuration.announcer
  var flaws: [String] = []
  var wanted: [String] = []
  func checkWords(_ key: String, off: String, _ isMeant: (TimerPhrase) -> Bool) {
    wanted.append(key)
    let unsaid = voice.phrasesUnsaid.filter(isMeant)
    guard let first = unsaid.first else { return }
    let more = unsaid.count > 1 ? " and \(unsaid.count - 1) phrases more" : ""
    flaws.append(
      "\(key) wants words that the voice \(voice.path) lacks, for '\(first.text)'\(more); "
        + "set \(key) = \(off), or take another voice")
  }
  if !settings.tellsLeft.isEmpty {
    checkWords("tell_left", off: "none") { if case .left = $0 { true } else { false } }
  }
  if settings.saysPhases {
    checkWords("say_phases", off: "no") { phrase in
      switch phrase {
      case .left, .timer: false
      default: true
      }
    }
  }
  return found(flaws)
    ?? .well(
      wanted.isEmpty
        ? "they ring, and are named; no other words of them are set"
        : "the voice has all words for \(wanted.joined(separator: " and "))")
}

/// Checks that each alarm can ring with its tune, and that its time can be said.
/// - Parameter status: of the service; nil without one, or if its configuration may differ.
func checkAlarms(_ configuration: Configuration, _ status: Status?) throws(Fault) -> Finding {
  var flaws: [String] = []
  for plan in configuration.announcer.alarms {
    guard let tune = plan.tune, let flaw = flaw(of: tune) else { continue }
    flaws.append(
      "alarm \"\(plan.name ?? "")\" cannot ring with its tune: \(flaw); set another in its section, "
        + "or none")
  }
  for alarm in status?.alarms.map(\.alarm) ?? [] where alarm.origin == .person {
    guard let tune = alarm.alarm?.tune, let found = flaw(of: tune) else { continue }
    flaws.append(
      "\(alarm.title) cannot ring with its tune: \(found); cancel it, and set it with another")
  }
  let count = status?.alarms.count ?? configuration.announcer.alarms.count
  flaws += try flawsOfWords(configuration, status)
  return found(flaws)
    ?? .well(count == 0 ? "none" : count == 1 ? "1, which can ring" : "\(count), which can ring")
}

/// Why a tune cannot be played; nil if it can. A missing tune is looked for again.
private func flaw(of tune: Tune) -> String? {
  if tune.isMissing, let flaw = RelativePath(tune.name) { return "\(tune.name): \(flaw)" }
  var bells = Sounds.bells()
  do throws(Fault) {
    try bells.add(tune.isMissing ? try Sounds.tune(tune.name) : tune)
  } catch {
    return error.description
  }
  return brokenSounds(bells.paths).first
}

private func flawsOfWords(
  _ configuration: Configuration, _ status: Status?
) throws(Fault) -> [String] {
  let alarms =
    status?.alarms.compactMap { listed in
      listed.alarm.alarm.map { (listed.alarm.title, $0.times.time) }
    }
    ?? configuration.announcer.alarms.map { ("alarm \"\($0.name ?? "")\"", $0.times.time) }
  let voice = try configuration.verifiedVoice()
  var flaws: [String] = []
  for (title, time) in alarms {
    do throws(Fault) {
      _ = try voice.text(of: CivilTime(time), wording: configuration.wording)
    } catch {
      flaws.append("\(title) rings at \(time), which is not said: \(error)")
    }
  }
  return flaws
}

/// The state of an input line: who holds it, or its level now.
func checkInput(
  _ settings: LineSettings, active: String, inactive: String
) throws(Fault) -> Finding {
  try checkLine(settings.line) { line, text throws(Fault) in
    let input = try GPIOInput(line: text, active: settings.active)
    return .well("\(line), now \(try input.isActive() ? active : inactive)")
  }
}

/// The state of an output line. The line is not opened: a check must not change it.
func checkOutput(_ settings: LineSettings) throws(Fault) -> Finding {
  try checkLine(settings.line) { line, _ in
    line.holding.map { .found("\(line) is \($0)") } ?? .well("\(line), free")
  }
}

private func checkLine(
  _ name: String?, _ look: (GPIOMap.Line, String) throws(Fault) -> Finding
) throws(Fault) -> Finding {
  guard let name else { return .well("none") }
  let line = try GPIOMap.current().line(named: name)
  return line.isHeldByClocksmith
    ? .well("\(line), held by the running service") : try look(line, name)
}

/// How to make a missing part known to the system. Each kind of system has its own way.
enum PartsAdvice {
  /// The flashed card: parts are set in `[card]` of clocksmith.txt.
  case card
  /// Raspberry Pi OS: parts are set in `config.txt`, with overlays of its own.
  case raspberryPiOS
  case other

  /// The kind of this system, found by a file that only it has.
  static var here: PartsAdvice {
    if access("/usr/lib/clocksmith-card/parts", F_OK) == 0 { return .card }
    return access("/etc/rpi-issue", F_OK) == 0 ? .raspberryPiOS : .other
  }

  var rtc: String {
    switch self {
    case .card:
      "none; with no network the clock is not trusted after a power cut: wire one to pins 1, 3, 5 "
        + "and 6 and set 'rtc = ds3231', say, in [card] of clocksmith.txt"
    case .raspberryPiOS:
      "none; with no network the clock is not trusted after a power cut: wire one to pins 1, 3, 5 "
        + "and 6 and put 'dtparam=i2c_arm=on' and 'dtoverlay=i2c-rtc,ds3231', say, into config.txt"
    case .other: "none; with no network the clock is not trusted after a power cut"
    }
  }

  var card: String {
    switch self {
    case .card:
      "none; plug in a USB one, or, for one on the header of a Raspberry Pi 3, 4 or Zero 2 W, set "
        + "'sound = max98357a', say, in [card] of clocksmith.txt"
    case .raspberryPiOS:
      "none; plug in a USB one, or put 'dtoverlay=max98357a', say, into config.txt for one on the "
        + "header"
    case .other: "none; plug in a USB one"
    }
  }
}
