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
  for finding in cardFindings() { try checkup.check("settings") { finding } }
  var loaded: Configuration?
  try checkup.check("configuration") { () throws(Fault) in
    let configuration = try Configuration.load(path: arguments["config"])
    loaded = configuration
    // Only the installed service is kept out of these folders, and it reads the files in /etc.
    let isServices = !arguments.has("config") && isUnitInstalled
    let flaws = configuration.outdated + (isServices ? configuration.hiddenFromService : [])
    if let finding = found(flaws) { return finding }
    let files = configuration.files.joined(separator: ", ")
    return .well(files.isEmpty ? "the defaults; no file" : files)
  }
  guard let configuration = loaded else { return ExitStatus.found }
  for finding in settingFindings(configuration) { try checkup.check("setting") { finding } }
  try checkup.check("voice") { () throws(Fault) in try checkVoice(configuration) }
  try checkup.check("chime") { () throws(Fault) in try checkChime(configuration) }
  try checkup.check("signals") { () throws(Fault) in try checkSignals() }
  try checkup.check("timers") { () throws(Fault) in try checkTimers(configuration) }
  // Before the alarms, which ring by the zone.
  try checkup.check("zone") { () throws(Fault) in
    let name = try configuration.currentZone().name
    return configuration.flawOfZone.map { .found($0) } ?? .well(name)
  }
  // Connect only once: a silent bus takes the whole timeout. The line `bus` reports it.
  let service = Result { () throws(Fault) in try RunningService() }
  let running = try? service.get()
  let configured = arguments.has("config") ? nil : running
  try checkup.check("alarms") { () throws(Fault) in
    try checkAlarms(configuration, configured?.status())
  }
  var opens = false
  try checkup.check("speaker") { () throws(Fault) in
    let speaker = configuration.speaker
    var substitute: ALSASink.Substitute?
    speaker.opened = { substitute = $0 }
    let rate = try speaker.open()
    speaker.close()
    opens = true
    if let substitute { return .found(substitute.inWords) }
    return .well("\(configuration.device) opens, at \(rate) frames per second")
  }
  let cards = SoundCard.all()
  if cards.isEmpty {
    // A sound server may play without a card of its own.
    try checkup.check("card") { () throws(Fault) in
      opens ? .well("none that the kernel knows") : .found(PartsAdvice.here.card)
    }
  }
  for card in cards {
    try checkup.check("card") { () throws(Fault) in
      .well("\(card.device): \(card.name), \(card.state)")
    }
  }
  try checkup.check("switch") { () throws(Fault) in
    try checkInput(
      configuration.switchInput, active: "silenced", inactive: "may sound")
  }
  try checkup.check("button") { () throws(Fault) in
    try checkInput(configuration.button, active: "pressed", inactive: "released")
  }
  try checkup.check("led") { () throws(Fault) in try checkOutput(configuration.led) }
  try checkup.check("rtc") { () throws(Fault) in try checkRTC(configuration) }
  try checkup.check("clock") { () throws(Fault) in
    checkClock(configuration, try configured?.status())
  }
  try checkup.check("state") { () throws(Fault) in try checkState(running?.status()) }
  try checkup.check("bus") { () throws(Fault) in
    guard let service = try service.get() else {
      return isUnitInstalled && !arguments.has("config")
        ? .found("the clock is not running; \(startAdvice)")
        : .well("the service is not on the system bus")
    }
    let process = service.process.map { ", as process \($0)" } ?? ""
    return .well("the service is on the system bus\(process)")
  }
  return checkup.hasFound ? ExitStatus.found : ExitStatus.done
}

var isUnitInstalled: Bool {
  ["/etc", "/usr/lib", "/lib"].contains { folder in
    access("\(folder)/systemd/system/clocksmith.service", F_OK) == 0
  }
}

enum Finding {
  case well(String)
  case found(String)
}

private struct Checkup {
  let isJSON: Bool
  private(set) var hasFound = false
  /// Each fault that stopped a line, with the first line that it stopped.
  private var told: [String: String] = [:]

  init(isJSON: Bool) { self.isJSON = isJSON }

  mutating func check(_ name: String, _ body: () throws(Fault) -> Finding) throws {
    let finding: Finding
    do throws(Fault) {
      finding = try body()
    } catch {
      // Several lines need the voice; its fault is reported once.
      let first = told[error.description]
      finding = .found(first.map { "not known; see '\($0)' above" } ?? error.description)
      told[error.description] = first ?? name
    }
    let (isWell, words) =
      switch finding {
      case .well(let words): (true, words)
      case .found(let words): (false, words)
      }
    hasFound = hasFound || !isWell
    let record = Record(["check": .text(name), "ok": .flag(isWell), "text": .text(words)])
    let line = "\(isWell ? "ok   " : "FOUND") \(name.padded(to: 14))\(words.printable)"
    try say(isJSON ? record.json : line)
  }
}

/// What the flashed card told as it applied clocksmith.txt: its warnings and errors. No other system
/// has this file, in which each line begins with its priority, as in `<3>`.
private func cardFindings() -> [Finding] {
  guard let log = try? readRegularFile("/run/clocksmith-card/settings.log") else { return [] }
  let problems = String(decoding: log, as: UTF8.self).split(separator: "\n")
    .filter { $0.hasPrefix("<3>") || $0.hasPrefix("<4>") }
  if problems.isEmpty { return [.well("everything in clocksmith.txt could be applied")] }
  return problems.map { .found(String($0.dropFirst(3))) }
}

/// What settings.conf changes, and what of it cannot be used.
private func settingFindings(_ configuration: Configuration) -> [Finding] {
  let used = configuration.allSettings().filter { $0.origin == .settings }
  return used.map { .well("\($0.key) = \($0.value): \($0.inWords ?? "")") }
    + configuration.settingsFlaws.map { .found($0) }
}

private func checkVoice(_ configuration: Configuration) throws(Fault) -> Finding {
  let voice = try configuration.verifiedVoice()
  let times = voice.shortestInterval(wording: configuration.wording)?.times ?? "nothing"
  return found(voice.flaws())
    ?? .well("\(voice.path): \(voice.sortedClips.count) clips say \(times); it \(voice.timersText)")
}

private func checkChime(_ configuration: Configuration) throws(Fault) -> Finding {
  // The line `alarms` checks the tunes of the alarms.
  var configuration = configuration
  configuration.announcer.alarms = []
  let settings = configuration.announcer
  let hour = settings.chime?.name ?? "none"
  let quarters = settings.chimeQuarters?.name ?? "none"
  return found(brokenSounds(try configuration.composer().bells.paths))
    ?? .well("\(hour) at the hour, \(quarters) at the other quarters")
}

private func checkSignals() throws(Fault) -> Finding {
  let signals = Sounds.signals()
  if let missing = Signal.allCases.first(where: { signals[$0] == nil }) {
    throw Fault("signal '\(missing.rawValue)'", "it is missing; install clocksmith again")
  }
  let paths = signals.values.sorted()
  return found(brokenSounds(paths)) ?? .well("all \(paths.count) of them; a timer can ring")
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

/// The first of these flaws, and how many more there are; nil if there are none.
func found(_ flaws: [String]) -> Finding? {
  guard let first = flaws.first else { return nil }
  return .found(flaws.count == 1 ? first : "\(first) (and \(flaws.count - 1) more)")
}

private func checkRTC(_ configuration: Configuration) throws(Fault) -> Finding {
  guard let clock = try RealTimeClock.chosen(configuration.rtc) else {
    return .well(
      configuration.rtc == .none
        ? "not used, as 'rtc = none' says"
        : PartsAdvice.here.rtc)
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
  if let fault = judgement.fault { return .found("\(name) \(fault.words); \(fault.remedy)") }
  if judgement.isBatteryLow { return .found("\(name): \(RTCJudgement.lowBattery)") }
  var words = "\(name), valid"
  if let lead = judgement.reading.lead(at: judgement.reading.moment) {
    // The RTC counts whole seconds, so it is right to half a second at best.
    words += ", \(lead.magnitude < .seconds(1) ? "0 s" : lead.roughly) from the system clock"
  }
  if clock.hasSetTheClock { words += "; it set the clock at the start" }
  if judgement.reading.flags == nil { words += "; nothing is known of its battery" }
  return .well(words)
}

/// - Parameter status: of the service; nil without one.
private func checkState(_ status: Status?) -> Finding {
  guard let status else {
    return .well("not known without the service, which saves what is set at run time")
  }
  guard let words = status.stateWords else {
    return .well("what is set at run time outlasts a restart")
  }
  return status.isStateInTrouble ? .found(words) : .well(words)
}

/// - Parameter status: of the service, which knows more of the clock; nil without one.
private func checkClock(_ configuration: Configuration, _ status: Status?) -> Finding {
  let state = configuration.clockWatch.state
  let words = status?.clockWords ?? state.words
  let trust = status?.trust ?? state.trust.rawValue
  guard trust == ClockTrust.untrusted.rawValue else { return .well(words) }
  let policy = configuration.announcer.untrusted
  let remedy = ClockState.Basis.remedy(of: status?.clockBasis ?? state.basis.key)
  let permission = policy == .speak ? "" : ", or set 'untrusted = speak' in [clock]"
  return .found("\(words) ('untrusted = \(policy.rawValue)'); \(remedy)\(permission)")
}
