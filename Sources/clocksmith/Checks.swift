import Basics
import Devices
@preconcurrency import Glibc
import Horology
import Service
import Sound

func checkTimers(_ configuration: Configuration) throws -> String {
  let voice = try configuration.verifiedVoice()
  let settings = configuration.announcer
  // Each key that wants words, with the value that wants none.
  var keys: [(name: String, none: String)] = []
  if !settings.tellsLeft.isEmpty { keys.append(("tell_left", "none")) }
  if settings.saysPhases { keys.append(("say_phases", "no")) }
  let flaws = keys.compactMap { key, none in
    let unsaid = voice.phrasesUnsaid.filter { $0.key == key }
    return unsaid.first.map { first in
      let more = unsaid.count > 1 ? " and \(unsaid.count - 1) phrases more" : ""
      return "\(key) wants words that the voice \(voice.path) lacks, for '\(first.text)'\(more); "
        + "set \(key) = \(none), or take another voice"
    }
  }
  try refuse(flaws)
  return keys.isEmpty
    ? "they ring, and are named; no other words of them are set"
    : "the voice has all words for \(keys.map(\.name).joined(separator: " and "))"
}

extension TimerPhrase {
  /// The key in `[timers]` that has it said.
  fileprivate var key: String? {
    switch self {
    case .left: "tell_left"
    case .timer: nil
    default: "say_phases"
    }
  }
}

/// Checks that each alarm can ring with its tune, and that its time can be said.
/// - Parameter status: of the service; nil without one, or if its configuration may differ.
func checkAlarms(_ configuration: Configuration, _ status: Status?) throws -> String {
  let alarms =
    status?.alarms.compactMap { listed in listed.alarm.alarm.map { (listed.alarm.title, $0) } }
    ?? configuration.announcer.alarms.map { ("alarm \"\($0.name ?? "")\"", $0) }
  let voice = try configuration.verifiedVoice()
  var flaws = [alarms.compactMap(\.1.name).namesakes].compactMap { $0 }
  for (title, plan) in alarms {
    if let tune = plan.tune, let flaw = flaw(of: tune) {
      flaws.append("\(title) cannot ring with its tune: \(flaw); set it with another")
    }
    do throws(Fault) {
      _ = try voice.text(of: CivilTime(plan.times.time), wording: configuration.wording)
    } catch {
      flaws.append("\(title) rings at \(plan.times.time), which is not said: \(error)")
    }
  }
  try refuse(flaws)
  return alarms.isEmpty ? "none" : "\(alarms.count), which can ring"
}

/// A missing tune is looked for again.
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

func checkInput(_ settings: LineSettings, active: String, inactive: String) throws -> String {
  try checkLine(settings.line) { line, name in
    let input = try GPIOInput(line: name, active: settings.active)
    return "\(line), now \(try input.isActive() ? active : inactive)"
  }
}

/// The line is not opened: a check must not change it.
func checkOutput(_ settings: LineSettings) throws -> String {
  try checkLine(settings.line) { line, _ in
    if let holding = line.holding { throw Problem("\(line) is \(holding)") }
    return "\(line), free"
  }
}

private func checkLine(
  _ name: String?, _ state: (GPIOMap.Line, String) throws -> String
) throws -> String {
  guard let name else { return "none" }
  let line = try GPIOMap.current().line(named: name)
  return line.isHeldByClocksmith
    ? "\(line), held by the running service" : try state(line, name)
}

/// How to make a missing part known to the system. Each kind of system has its own way.
enum PartsAdvice {
  /// The flashed card: parts are set in `[card]` of clocksmith.txt.
  case card
  /// Raspberry Pi OS: parts are set in `config.txt`, with overlays of its own.
  case raspberryPiOS
  case other

  static var here: PartsAdvice {
    if access("/usr/lib/clocksmith-card/parts", F_OK) == 0 { return .card }
    return access("/etc/rpi-issue", F_OK) == 0 ? .raspberryPiOS : .other
  }

  var rtc: String {
    let way = way("rtc = ds3231", "'dtparam=i2c_arm=on' and 'dtoverlay=i2c-rtc,ds3231'")
    return "none; with no network the clock is not trusted after a power cut"
      + (way.map { ": wire one to pins 1, 3, 5 and 6 and \($0)" } ?? "")
  }

  var card: String {
    let way = way("sound = max98357a", "'dtoverlay=max98357a'")
    return "none; plug in a USB one" + (way.map { " or, for one on the header, \($0)" } ?? "")
  }

  private func way(_ setting: String, _ overlays: String) -> String? {
    switch self {
    case .card: "set '\(setting)', say, in [card] of clocksmith.txt"
    case .raspberryPiOS: "put \(overlays), say, into config.txt"
    case .other: nil
    }
  }
}
