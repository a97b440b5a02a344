import Basics
import Devices
@preconcurrency import Glibc
import Horology
import Service
import Sound

private let setupFile = "/etc/clocksmith/conf.d/50-setup.conf"

let setupCommand = Subcommand(
  name: "setup", operands: "", mostOperands: 0,
  summary: "set up the clock by questions and answers",
  details: """
    Asks for the speaker, the voice, the quiet hours, the switch, the RTC and the zone. It says the
    time on each sound card and in the voice that you choose, and shows the line of the switch while
    you toggle it. Return takes the answer in brackets. q, Ctrl-C or the end of the input ends it, and
    nothing is written. At the end it writes /etc/clocksmith/conf.d/50-setup.conf, which only root
    may do, and starts the service or lets it read the file, if you want that.
    """,
  options: [
    Option(
      name: "output", argument: "FILE.conf",
      help: "write this file instead; the service does not\nread it")
  ]
) { arguments in
  try requireTerminal(for: "setup")
  let path = try arguments.path("output") ?? setupFile
  let isForService = !arguments.has("output")
  if isForService {
    guard PartsAdvice.here != .card else {
      throw Fault(
        "setup",
        "the flashed card would lose \(setupFile) at its next start; set the clock in a browser, or in "
          + "clocksmith.txt")
    }
    guard geteuid() == 0 else {
      throw Fault(
        "setup",
        "only root may write \(setupFile); run 'sudo clocksmith setup', or name another file with "
          + "--output")
    }
  }
  do {
    var setup = try Setup(path, isForService: isForService)
    try setup.askAll()
    try setup.write()
  } catch is Ended {
    complain("setup has ended; nothing is written")
    return ExitStatus.failed
  }
  guard isForService, isUnitInstalled,
    (try? askYes("Start the clock with it, or let the running one read it?", usually: true)) == true
  else { return ExitStatus.done }
  return system("systemctl reload-or-restart clocksmith.service") == 0
    ? ExitStatus.done : ExitStatus.failed
}

private struct Setup {
  /// What is set now, with the answers up to now.
  private var configuration: Configuration
  private let service: RunningService?
  private let path: String
  private let isForService: Bool
  /// What the file has now. An owner may have added to it.
  private var text: String
  /// What is set without the file.
  private let others: Configuration
  private var entries: [(key: String, value: String)] = []

  init(_ path: String, isForService: Bool) throws(Fault) {
    (self.path, self.isForService) = (path, isForService)
    service = reachableService()
    others = try Configuration.load(with: INIFile([], path: path))
    (configuration, text) = (others, "")
    guard access(path, F_OK) == 0 else { return }
    do throws(Fault) {
      let bytes = try readRegularFile(path)
      configuration = try Configuration.load(with: INIFile(bytes, path: path))
      text = String(decoding: bytes, as: UTF8.self)
    } catch {
      complain("note: \(error); a new file will have nothing of what is in it")
    }
  }

  mutating func askAll() throws {
    try say("Return takes the answer in brackets. q ends this, and nothing is written.")
    try askSpeaker()
    try askVoice()
    try askQuietHours()
    try askSwitch()
    try askRTC()
    try askZone()
  }

  func write() throws {
    let new = try text(with: entries)
    let isThere = access(path, F_OK) == 0
    if isThere ? new == text : !new.contains("[") {
      return try say("\nEverything is set like that already; nothing is written.")
    }
    _ = try readBack(new).composer()
    try say("\n\(path):\n" + new.split(separator: "\n").map { "  \($0)\n" }.joined())
    guard
      try askYes(isThere ? "It is there already. Replace it?" : "Write it?", usually: !isThere)
    else { throw Ended() }
    if isForService {
      // The service is not root, and has to read it.
      umask(0o022)
      for folder in ["/etc/clocksmith", "/etc/clocksmith/conf.d"] { mkdir(folder, 0o755) }
    }
    try writeText(new, to: path, isSynced: isForService)
    try tellDone("wrote \(path); 'clocksmith check' looks at the whole clock")
    if isForService { try tellHidden() }
  }

  /// The file with these answers. Everything else in it stays. In the file of the service, what is set
  /// like that without it has no line.
  private func text(with entries: [(key: String, value: String)]) throws(Fault) -> String {
    var lines = text.utf8.split(separator: 10, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    if text.isEmpty { lines = ["; Written by 'clocksmith setup', which keeps what you add.", ""] }
    for (key, value) in entries {
      let file = try INIFile(Array(lines.joined(separator: "\n").utf8), path: path)
      let parts = key.split(separator: ".").map(String.init)
      let line = "\(parts[1]) = \(value)"
      let elsewhere = others.allSettings(of: key).first
      // What `set` has set may be taken back.
      let isSetElsewhere =
        isForService && elsewhere?.value == value && elsewhere?.origin != .settings
      let place = file.entries.last { $0.section == parts[0] && $0.key == parts[1] }?.line
      let end =
        file.entries.last { $0.section == parts[0] }?.line
        ?? file.sections.last { $0.name == parts[0] }?.line
      if let place {
        lines.replaceSubrange(place - 1..<place, with: isSetElsewhere ? [] : [line])
      } else if !isSetElsewhere {
        let new = end == nil ? ["[\(parts[0])]", line] : [line]
        lines.insert(contentsOf: new, at: end ?? lines.count - (lines.last == "" ? 1 : 0))
      }
    }
    return lines.joined(separator: "\n")
  }

  private func readBack(_ text: String) throws(Fault) -> Configuration {
    try Configuration.load(with: INIFile(Array(text.utf8), path: path))
  }

  /// Says which answers are not in force, and why.
  private func tellHidden() throws {
    let inForce = try Configuration.load(path: nil)
    for (key, value) in entries {
      for setting in inForce.allSettings(of: key) where setting.value != value {
        let remedy =
          setting.origin == .settings
          ? "'clocksmith set \(key) --default' takes it back" : "remove it there"
        try say(
          "note: \(key) is \(setting.value), for \(setting.place ?? "another file") has it and "
            + "counts more; \(remedy)")
      }
    }
  }

  private mutating func set(_ key: String, _ value: String) { entries.append((key, value)) }

  private func value(_ key: String) -> String { configuration.allSettings(of: key)[0].value }

  private mutating func askSpeaker() throws {
    let hadMixer = configuration.mixer != nil
    configuration = try configuration.withSpeakerHeard(service) ?? configuration
    set("speaker.device", configuration.device)
    if hadMixer, configuration.mixer == nil { set("speaker.mixer", "none") }
    try say("  the speaker is \(configuration.device)")
  }

  private mutating func askVoice() throws {
    let names = Sounds.voiceNames()
    try say("\nVoices:")
    for name in names {
      guard let pack = try? Sounds.voice(name) else { continue }
      try say("  \(name): \(pack.language), \(pack.description)")
    }
    while true {
      let name = try ask("Voice", configuration.voice)
      do {
        guard name == configuration.voice || names.contains(name) else {
          throw Fault(name.excerpt, "there is no such voice")
        }
        var trial = configuration
        trial.voice = name
        do {
          _ = try trial.composer()
        } catch {
          // Some voices have words for one clock only.
          trial.wording.format = trial.wording.format == .twelve ? .twentyFour : .twelve
          let question = "It has words for clock = \(trial.wording.format.rawValue) only. Set that?"
          guard (try? trial.composer()) != nil, try askYes(question, usually: true) else {
            throw error
          }
          set("announce.clock", trial.wording.format.rawValue)
        }
        _ = try trial.playSample(service)
        guard try askYes("Take this voice?", usually: true) else { continue }
        configuration = trial
        return set("announce.voice", name)
      } catch let fault as Fault {
        try say("  \(fault)")
      }
    }
  }

  private mutating func askQuietHours() throws {
    try say("\nQuiet hours, in which nothing sounds by itself, as in 22:00-07:00:")
    let key = "announce.quiet"
    set(key, try ask("Quiet", value(key)) { _ = try readBack(text(with: entries + [(key, $0)])) })
  }

  private mutating func askSwitch() throws {
    let configured = value("switch.line")
    let line = try switchLine(configured)
    set("switch.line", line)
    // A line that a switch connects to ground.
    let active = line == configured ? value("switch.active") : "low"
    set("switch.active", active)
  }

  private func switchLine(_ configured: String) throws -> String {
    let map: GPIOMap
    do throws(Fault) {
      map = try GPIOMap.current()
    } catch {
      try say("\nSwitch: \(error)")
      return configured
    }
    let others = [configuration.button.line, configuration.led.line]
    let free = map.freeHeaderLines.filter { !others.contains($0) }
    try say("\nThe switch connects a line to ground while the clock is to be silent. Free lines:")
    if free.isEmpty {
      for line in map.choices { try say(line) }
    } else {
      try say("  \(free.joined(separator: ", "))")
    }
    if let holding = (try? map.line(named: configured))?.holding {
      try say("  \(configured) is \(holding)")
    }
    if !free.isEmpty { try say("  find shows which one it is while you toggle the switch") }
    let find = free.isEmpty ? "" : "find, "
    while true {
      let answer = try ask("Switch: \(find)the name of its line, or none", configured)
      if answer == configured || answer == "none" { return answer }
      do {
        if answer != "find" { _ = try map.line(named: answer) }
        if answer != "find", !free.isEmpty, !free.contains(answer) {
          throw Fault(answer, "it is in use, or would end another function; take a free line")
        }
        if let line = try toggled(answer == "find" ? free : [answer]) { return line }
        try say("  no line has changed: is the switch between the line and ground?")
      } catch let fault as Fault {
        try say("  \(fault)")
      }
    }
  }

  /// - Returns: the line that changed last; nil if none has.
  private func toggled(_ names: [String]) throws -> String? {
    let inputs = try names.map { try GPIOInput(line: $0, active: .low) }
    try say("Toggle the switch, then press Return.")
    var last: String?
    try watch(inputs, until: STDIN_FILENO) { index throws(Fault) in
      last = names[index]
      let isActive = try inputs[index].isActive()
      try say("  \(names[index]) \(isActive ? "connected to ground: silent" : "open: may sound")")
    }
    _ = try readAnswer()
    return last
  }

  private mutating func askRTC() throws {
    let clocks = RealTimeClock.all().map { "\($0.name) (\($0.device))" }
    try say("\nRTC: \(clocks.isEmpty ? PartsAdvice.here.rtc : clocks.joined(separator: ", "))")
    let answer = try ask("RTC: auto, none, or its name", value("clock.rtc")) {
      _ = try RTCChoice(text: $0).map { choice throws(Fault) in
        try RealTimeClock.chosen(choice)
      }
    }
    set("clock.rtc", answer)
  }

  private mutating func askZone() throws {
    do throws(Fault) {
      let zone = try SystemZone.current()
      let time = zone.civil(at: SystemClock.now.instant).dateTime.timeOfDay.prefix(5)
      try say("\nZone: the system's is \(zone.name), where it is \(time)")
    } catch {
      try say("\nZone: \(error)")
    }
    let configured = value("clock.zone")
    let answer = try ask("Zone: none for the system's, or as in Europe/London", configured) {
      if $0 != "none" { _ = try SystemZone.current(name: $0) }
    }
    if answer != "none" || answer != configured {
      set("clock.zone", (try? SystemZone.current(name: answer)) ?? answer)
    }
  }
}
