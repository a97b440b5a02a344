import Devices
import Horology
import Service
import Sound

let checkCommand = Subcommand(
  name: "check", operands: "", mostOperands: 0,
  summary: "look whether everything that the clock needs is there and well",
  details: """
    Looks at the configuration, every clip and every minute of the day, the speaker, the switch,
    the button, the lamp, the zone and the clock: a line each, with what to do. Exit status 3 if
    something was found.
    """,
  options: [
    Option(
      name: "switch", argument: nil,
      help: "show the switch live while it is being wired,\nuntil Ctrl-C"),
    configOption,
  ]
) { arguments in
  if arguments.has("switch") {
    let settings = try Configuration.load(path: arguments["config"]).switchInput
    return try showSwitch(settings)
  }
  var checkup = Checkup()
  var loaded: Configuration?
  try checkup.look("configuration") { () throws(Fault) in
    let configuration = try Configuration.load(path: arguments["config"])
    loaded = configuration
    let files = configuration.files.joined(separator: ", ")
    return .well(files.isEmpty ? "the defaults; no file" : files)
  }
  guard let configuration = loaded else { return ExitStatus.found }
  try checkup.look("voice") { () throws(Fault) in try checkVoice(configuration) }
  try checkup.look("speaker") { () throws(Fault) in
    let speaker = configuration.speaker
    let rate = try speaker.open()
    speaker.close()
    return .well("\(configuration.device) opens, at \(rate) frames per second")
  }
  for card in SoundCard.all() {
    try checkup.look("card") { () throws(Fault) in
      .well("\(card.device): \(card.name), \(card.abilities)")
    }
  }
  try checkup.look("switch") { () throws(Fault) in
    try checkInput(configuration.switchInput, active: "silenced", inactive: "may sound")
  }
  try checkup.look("button") { () throws(Fault) in
    try checkInput(configuration.button, active: "pressed", inactive: "released")
  }
  try checkup.look("led") { () throws(Fault) in try checkOutput(configuration.led) }
  try checkup.look("zone") { () throws(Fault) in .well(try SystemZone.current().name) }
  try checkup.look("clock") { () throws(Fault) in checkClock(configuration) }
  return checkup.hasFound ? ExitStatus.found : ExitStatus.done
}

enum Finding {
  case well(String)
  case found(String)
}

/// The lines of a check, as they come.
private struct Checkup {
  private(set) var hasFound = false

  mutating func look(_ name: String, _ body: () throws(Fault) -> Finding) throws {
    let padded = name + String(repeating: " ", count: 14 - name.count)
    let finding: Finding
    do throws(Fault) {
      finding = try body()
    } catch {
      finding = .found(error.description)
    }
    switch finding {
    case .well(let words):
      try say("ok    \(padded)\(words)")
    case .found(let words):
      hasFound = true
      try say("FOUND \(padded)\(words)")
    }
  }
}

private func checkVoice(_ configuration: Configuration) throws(Fault) -> Finding {
  let voice = try configuration.composer().voice
  var broken: [String] = []
  for name in voice.clipNames {
    do throws(Fault) {
      try SoundFile(path: voice.clip(name)!.path).verify()
    } catch {
      broken.append(error.description)
    }
  }
  if let first = broken.first {
    return .found(broken.count == 1 ? first : "\(first) (and \(broken.count - 1) more)")
  }
  return .well("\(voice.path): \(voice.clipNames.count) clips say all 1,440 minutes")
}

private func checkClock(_ configuration: Configuration) -> Finding {
  let policy = configuration.announcer.untrusted
  switch SystemClock.trust {
  case .synchronised: return .well("synchronised")
  case .holdover: return .well("holdover: it was synchronised earlier in this boot")
  case .untrusted:
    return .found(
      "not synchronised, and 'untrusted = \(policy.rawValue)'; wait for the network, fit an RTC, "
        + "or set 'untrusted = speak' in [clock]")
  }
}
