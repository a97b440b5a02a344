import Basics
import Devices
@preconcurrency import Glibc
import Horology
import Service
import Sound
import Studio

let checkCommand = Subcommand(
  name: "check", operands: "", mostOperands: 0,
  summary: "check everything that the clock needs, and say what to do",
  details: """
    Checks the configuration, every clip and every time that will be spoken, the chimes, signals and
    alarms, the speaker, the switch, the button, the lamp, the RTC, the clock, whether what is set
    can be saved, and the system bus. It prints a line for each, and says what to do about a
    problem. The exit status is 3 if it found one.
    """,
  options: [
    Option(
      name: "switch", argument: nil,
      help: "show the switch live while you wire it, until\nCtrl-C"),
    Option(
      name: "speaker", argument: nil,
      help: "say a time on each sound card until you hear it,\nand show the lines that choose it"),
    Option(name: "json", argument: nil, help: "print one JSON object a line"),
    configOption,
  ]
) { arguments in
  let views = ["switch", "speaker", "json"].filter { arguments.has($0) }
  guard views.count < 2 else {
    throw Misuse(
      description: "--\(views[0]) and --\(views[1]) exclude each other; give one of them")
  }
  if arguments.has("speaker") {
    try requireTerminal(for: "check --speaker")
    return try askForSpeaker(Configuration.load(path: arguments["config"]), arguments["config"])
  }
  if arguments.has("switch") {
    return try showSwitch(try Configuration.load(path: arguments["config"]))
  }
  var checkup = Checkup(isJSON: arguments.has("json"))
  for settings in cardSettings() { try checkup.check("settings", settings.get) }
  var loaded: Configuration?
  try checkup.check("configuration") {
    let configuration = try Configuration.load(path: arguments["config"])
    loaded = configuration
    // Only the installed service is kept out of these folders, and it reads the files in /etc.
    let isServices = !arguments.has("config") && isUnitInstalled
    try refuse(configuration.outdated + (isServices ? configuration.hiddenFromService : []))
    let files = configuration.files.joined(separator: ", ")
    return files.isEmpty ? "the defaults; no file" : files
  }
  guard let configuration = loaded else { return ExitStatus.found }
  for setting in configuration.allSettings() where setting.origin == .settings {
    try checkup.check("setting") { "\(setting.key) = \(setting.value): \(setting.inWords ?? "")" }
  }
  for line in configuration.hidden { try checkup.check("setting") { line } }
  for flaw in configuration.settingsFlaws { try checkup.check("setting") { throw Problem(flaw) } }
  try checkup.check("voice") { try checkVoice(configuration) }
  try checkup.check("chime") { try checkChime(configuration) }
  try checkup.check("signals") { try checkSignals() }
  try checkup.check("timers") { try checkTimers(configuration) }
  // Before the alarms, which ring by the zone.
  try checkup.check("zone") {
    let name = try configuration.currentZone().name
    if let flaw = configuration.flawOfZone { throw Problem(flaw) }
    return name
  }
  // Connect only once: a silent bus takes the whole timeout. The line `bus` reports it.
  let service = Result { () throws(Fault) in try RunningService() }
  let running = try? service.get()
  let configured = arguments.has("config") ? nil : running
  try checkup.check("alarms") { try checkAlarms(configuration, configured?.status()) }
  let cards = SoundCard.all()
  var opens = false
  try checkup.check("speaker") {
    let speaker = configuration.speaker
    var substitute: ALSASink.Substitute?
    speaker.opened = { substitute = $0 }
    let rate = try speaker.open()
    speaker.close()
    opens = true
    if let substitute { throw Problem(substitute.inWords) }
    return "\(configuration.device) opens, at \(rate) frames per second"
  }
  // A sound server may play without a card of its own.
  if cards.isEmpty && !opens { try checkup.check("card") { throw Problem(PartsAdvice.here.card) } }
  for card in cards {
    try checkup.check("card") { "\(card.device): \(card.name), \(card.state)" }
  }
  try checkup.check("switch") {
    try checkInput(configuration.switchInput, active: "silenced", inactive: "may sound")
  }
  try checkup.check("button") {
    try checkInput(configuration.button, active: "pressed", inactive: "released")
  }
  try checkup.check("led") { try checkOutput(configuration.led) }
  try checkup.check("rtc") { try checkRTC(configuration) }
  try checkup.check("clock") { try checkClock(configuration, configured?.status()) }
  try checkup.check("state") { try checkState(running?.status()) }
  try checkup.check("bus") {
    if let service = try service.get() {
      let process = service.process.map { ", as process \($0)" } ?? ""
      return "the service is on the system bus\(process)"
    }
    if isUnitInstalled && !arguments.has("config") {
      throw Problem("the clock is not running; \(startAdvice)")
    }
    return "the service is not on the system bus"
  }
  return checkup.hasFound ? ExitStatus.found : ExitStatus.done
}

var isUnitInstalled: Bool {
  ["/etc", "/usr/lib", "/lib"].contains { folder in
    access("\(folder)/systemd/system/clocksmith.service", F_OK) == 0
  }
}

struct Problem: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

func refuse(_ flaws: [String]) throws {
  guard let first = flaws.first else { return }
  throw Problem(flaws.count == 1 ? first : "\(first) (and \(flaws.count - 1) more)")
}

private struct Checkup {
  let isJSON: Bool
  private(set) var hasFound = false
  private var told: Set<String> = []

  init(isJSON: Bool) { self.isJSON = isJSON }

  mutating func check(_ name: String, _ body: () throws -> String) throws {
    var isWell = true
    var words: String
    do {
      words = try body()
    } catch {
      (isWell, hasFound) = (false, true)
      words = "\(error)"
      // Several lines need the voice; its fault is reported once.
      if !told.insert(words).inserted { words = "not known; see above" }
    }
    let record = Record(["check": .text(name), "ok": .flag(isWell), "text": .text(words)])
    let line = "\(isWell ? "ok   " : "FOUND") \(name.padded(to: 14))\(words.printable)"
    try say(isJSON ? record.json : line)
  }
}

/// What the flashed card told as it applied clocksmith.txt; a line begins with its priority: `<3>`.
private func cardSettings() -> [Result<String, Problem>] {
  guard let log = try? readRegularFile("/run/clocksmith-card/settings.log") else { return [] }
  let problems = String(decoding: log, as: UTF8.self).split(separator: "\n")
    .filter { $0.hasPrefix("<3>") || $0.hasPrefix("<4>") }
  if problems.isEmpty { return [.success("everything in clocksmith.txt could be applied")] }
  return problems.map { .failure(Problem(String($0.dropFirst(3)))) }
}

private func checkVoice(_ configuration: Configuration) throws -> String {
  let voice = try configuration.verifiedVoice()
  try refuse(voice.flaws())
  let times = voice.shortestInterval(wording: configuration.wording)?.times ?? "nothing"
  return "\(voice.path): \(voice.sortedClips.count) clips say \(times); it \(voice.timersText)"
}

private func checkChime(_ configuration: Configuration) throws -> String {
  // The line `alarms` checks the tunes of the alarms.
  var configuration = configuration
  configuration.announcer.alarms = []
  let settings = configuration.announcer
  try refuse(brokenSounds(try configuration.composer().bells.paths))
  return "\(settings.chime?.name ?? "none") at the hour, "
    + "\(settings.chimeQuarters?.name ?? "none") at the other quarters"
}

private func checkSignals() throws -> String {
  let signals = Sounds.signals()
  if let missing = Signal.allCases.first(where: { signals[$0] == nil }) {
    throw Problem("signal '\(missing.rawValue)': it is missing; install clocksmith again")
  }
  try refuse(brokenSounds(signals.values.sorted()))
  return "all \(signals.count) of them; a timer can ring"
}

func brokenSounds(_ paths: [String]) -> [String] {
  paths.compactMap { path in
    do throws(Fault) {
      try SoundFile(path: path).verify()
      return nil
    } catch {
      return error.description
    }
  }
}

private func checkRTC(_ configuration: Configuration) throws -> String {
  guard let clock = try RealTimeClock.chosen(configuration.rtc) else {
    return configuration.rtc == .none ? "not used, as 'rtc = none' says" : PartsAdvice.here.rtc
  }
  let isSynchronised = SystemClock.kernel.isSynchronised
  var judgement = RTCJudgement(clock.read(), after: nil, isSynchronised: isSynchronised)
  if judgement.isValid {
    // Only a second reading, after a while, shows whether it runs.
    poll(nil, 0, Int32(RTCJudgement.shortestLook.nanoseconds / 1_000_000) + 100)
    judgement = RTCJudgement(
      clock.read(), after: judgement.reading, isSynchronised: isSynchronised)
  }
  let name = "\(clock.name) (\(clock.device))"
  if let fault = judgement.fault { throw Problem("\(name) \(fault.words); \(fault.remedy)") }
  if judgement.isBatteryLow { throw Problem("\(name): \(RTCJudgement.lowBattery)") }
  var words = "\(name), valid"
  if let lead = judgement.reading.lead(at: judgement.reading.moment) {
    // The RTC counts whole seconds, so it is right to half a second at best.
    words += ", \(lead.magnitude < .seconds(1) ? "0 s" : lead.roughly) from the system clock"
  }
  if clock.hasSetTheClock { words += "; it set the clock at the start" }
  if judgement.reading.flags == nil { words += "; nothing is known of its battery" }
  return words
}

/// - Parameter status: of the service; nil without one.
private func checkState(_ status: Status?) throws -> String {
  guard let status else {
    return "not known without the service, which saves what is set at run time"
  }
  if status.isStateInTrouble { throw Problem(status.stateWords ?? "") }
  if !status.stateLoss.isEmpty { throw Problem(status.stateLoss) }
  return status.stateWords ?? "what is set at run time outlasts a restart"
}

/// - Parameter status: of the service, which knows more of the clock; nil without one.
private func checkClock(_ configuration: Configuration, _ status: Status?) throws -> String {
  let state = configuration.clockWatch.state
  let words = status?.clockWords ?? state.words
  guard (status?.trust ?? state.trust) == .untrusted else { return words }
  let policy = configuration.announcer.untrusted
  let remedy = (status?.clockBasis ?? state.basis.kind).remedy
  let permission = policy == .speak ? "" : ", or set 'untrusted = speak' in [clock]"
  throw Problem("\(words) ('untrusted = \(policy.rawValue)'); \(remedy)\(permission)")
}
