import Basics
import Devices
@preconcurrency import Glibc
import Service
import Sound
import Studio

let voiceCommand = Subcommand(
  name: "voice",
  operands: "list | try VOICE [HH:MM] | export VOICE | verify DIR | record DIR | import DIR",
  mostOperands: 3,
  summary: "list, try and verify voices, record your own, or make one from recordings",
  details: """
    list shows the installed voices, the configured one with a star: the language, the styles for
    each clock, the file of the licence, and the size.

    try VOICE says the time now, or HH:MM in 24 hours, in that voice: the name of an installed
    voice, or the folder of a voice pack. It uses the configured speaker, and the configured style
    if the voice has it. It refuses while the running service sounds or is about to, while an
    interval runs, and while the switch silences the clock; with --config it does not ask the
    service.

    export VOICE writes every quarter of an hour, in the configured clock and style, into a sound
    file of its own in the folder --output: 0000.wav to 2345.wav, or with --caf 0000.caf to
    2345.caf, in Apple's Core Audio Format (CAF). An iPhone needs CAF: it speaks by itself when
    'clocksmith-relay' tells it of an occasion. The licence is put next to the files.

    verify DIR reads every clip of a voice pack, or of an installed voice by its name. It shows
    which times the voice says, and lists where it misses the quality targets, with what to do. The
    exit status is 3 if it found something.

    record DIR leads you through the phrases of a voice, and records them with a microphone into
    DIR, which becomes a voice pack. It listens to the room, then shows one phrase after the other
    and records when you speak. It judges each phrase at once. Enter keeps it, p plays it, a takes
    it again, b goes back, q stops. What you keep is on the disk at once, and the next run goes on.

    import DIR makes a voice pack from a folder of recorded words. One to twelve, fifteen, thirty,
    forty-five, AM and PM are enough for the quarters of an hour. For every minute add oh, zero to
    twenty, forty and fifty, and for 24 hours also hundred; o'clock is optional. Name each file
    after its word: one.wav, 1.wav, AM.flac, a-m.caf. It reads any format, rate and number of
    channels that libsndfile reads. Folders of Asterisk and saytime can be used as they are.

    For timers and intervals a voice needs one to twenty, thirty, forty and fifty, or all numbers
    from one to fifty-nine, and hour, hours, minute, minutes, second, seconds, left, timer, round,
    work, rest, half, go, done, "and a half". Without these words only the signals sound.
    'record --pack timers DIR' and 'import --pack timers DIR --output PACK' add them to a voice that
    you already have.
    """,
  options: [
    Option(
      name: "output", argument: "PACK",
      help: "import: the folder to make (default: DIR-voice);\nexport: the folder to make"),
    Option(
      name: "device", argument: "MICROPHONE",
      help:
        "record: an ALSA device, as 'arecord -L' lists them\n(default: default)"
    ),
    Option(
      name: "pack", argument: "PHRASES",
      help:
        "record: quarters, 13 phrases that say every\nquarter of an hour, minutes, 62 that say "
        + "every\nminute, or timers, 66 that a voice gains for\ntimers and intervals (default: "
        + "quarters);\nimport: timers, if they are added to a voice"),
    Option(
      name: "style", argument: "STYLE",
      help: "try, export: instead of the configured style, as\nin natural"),
    Option(name: "caf", argument: nil, help: "export: CAF files, as an iPhone needs, not WAV"),
    Option(name: "json", argument: nil, help: "list: print one JSON object a line"),
    configOption,
  ]
) { arguments in
  let hint = "see 'clocksmith voice --help'"
  if arguments.operands.count == 3, arguments.operands[0] != "try" {
    throw Misuse(description: "unexpected '\(arguments.operands[2])'; \(hint)")
  }
  let optionsOf: [String: Set<String>] = [
    "list": ["json", "config"], "try": ["style", "config"],
    "export": ["output", "style", "caf", "config"], "verify": [],
    "record": ["device", "pack", "config"], "import": ["output", "pack"],
  ]
  if let action = arguments.operands.first, let allowed = optionsOf[action] {
    try arguments.refuse(allBut: allowed, of: "'voice \(action)'")
  }
  switch (arguments.operands.first, arguments.operands.dropFirst().first) {
  case ("try", let voice?):
    return try tryVoice(voice, arguments.operands.dropFirst(2).first, arguments)
  case ("export", let voice?):
    return try exportVoice(voice, arguments)
  case ("import", let folder?):
    return try importVoice(folder, arguments)
  case ("verify", let folder?):
    return try verifyVoice(folder)
  case ("record", let folder?):
    return try recordVoice(folder, arguments)
  case ("list", nil):
    return try listVoices(
      try usableConfiguration(arguments, or: "so no voice has a star")?.voice,
      asJSON: arguments.has("json"))
  case ("list", let word?):
    throw Misuse(description: "unexpected '\(word)'; \(hint)")
  case (let word?, nil) where ["try", "export"].contains(word):
    let names = Sounds.voiceNames().joined(separator: ", ")
    throw Misuse(
      description: "voice \(word) needs a voice: \(names), or the path of a voice's folder; "
        + hint)
  case (let word?, nil) where ["import", "verify", "record"].contains(word):
    throw Misuse(description: "voice \(word) needs a folder; \(hint)")
  case (let word?, _):
    throw Misuse(description: "unknown 'voice \(word)'; \(hint)")
  case (nil, _):
    throw Misuse(description: "voice needs a word that says what to do; \(hint)")
  }
}

/// The configuration; nil, with a note, if the files in /etc have an error. A file of `--config` must
/// have none.
/// - Parameter consequence: what the command does without it.
func usableConfiguration(
  _ arguments: Arguments, or consequence: String
) throws(Fault) -> Configuration? {
  do throws(Fault) {
    return try Configuration.load(path: arguments["config"])
  } catch {
    guard !arguments.has("config") else { throw error }
    complain("note: the configuration cannot be used, \(consequence): \(error)")
    return nil
  }
}

private func importVoice(_ folder: String, _ arguments: Arguments) throws -> Int32 {
  let folder = withoutSlash(folder)
  let output = arguments["output"].map(withoutSlash)
  let recordings: VoiceImport
  switch (arguments["pack"], output) {
  case (nil, _):
    recordings = try VoiceImport(folder: folder)
  case ("timers", let output?):
    recordings = try VoiceImport(folder: folder, addingTimersTo: VoicePack(path: output))
  case ("timers", nil):
    throw Misuse(
      description: "import --pack timers needs --output, the folder of the voice that they are for")
  case (let plan?, _):
    throw Misuse(
      description: "import has no --pack '\(plan.excerpt)'; write --pack timers, or leave it out")
  }
  for problem in recordings.problems { complain(problem.description) }
  guard recordings.problems.isEmpty else {
    complain("no voice was made from \(folder)")
    return ExitStatus.failed
  }
  let target = output ?? "\(folder)-voice"
  let isAddition = arguments["pack"] != nil
  let pack = try isAddition ? recordings.add() : recordings.make(target)
  if !recordings.ignored.isEmpty {
    let first = recordings.ignored.prefix(3).joined(separator: ", ")
    let more = recordings.ignored.count - 3
    complain("note: not needed, so not used: \(first)\(more > 0 ? " and \(more) more" : "")")
  }
  if !recordings.missingForTimers.isEmpty {
    let words = recordings.missingForTimers.map { "'\($0.text)'" }.joined(separator: ", ")
    complain("note: the voice cannot say everything about timers without \(words)")
  }
  if let word = recordings.mostPeaked {
    complain(
      "note: levelled to \(recordings.loudnessText) LUFS, lower than -20, for '\(word)' has high "
        + "peaks")
  }
  try present(pack, at: target)
  return ExitStatus.done
}

private func recordVoice(_ folder: String, _ arguments: Arguments) throws -> Int32 {
  guard let plan = RecordingPlan(rawValue: arguments["pack"] ?? "quarters") else {
    throw Misuse(
      description: "--pack '\(arguments["pack"] ?? "")' is not quarters or minutes or timers")
  }
  guard isatty(STDIN_FILENO) == 1 else {
    throw Misuse(
      description: "voice record needs a terminal, for it is led by single keys; run it in one")
  }
  let speaker = try Configuration.load(path: arguments["config"]).speaker
  let takes = try TakeFolder(path: withoutSlash(folder), plan: plan)
  let terminal = try Terminal(descriptor: STDIN_FILENO)
  let isWhole = try VoiceRecorder(
    plan, into: takes, microphone: ALSASource(name: arguments["device"] ?? "default"),
    terminal: terminal, speaker: speaker
  ).run()
  if isWhole { try present(try takes.makePack(), at: takes.path) }
  return ExitStatus.done
}

/// Prints the clips and times of a new voice, how to hear it, and how the service can use it. The
/// commands have lines of their own, to be pasted.
private func present(_ pack: VoicePack, at target: String) throws(Fault) {
  try say("made \(target): \(pack.clipNames.count) clips")
  try say(coverage(pack))
  let path = realpath(target, nil)
  defer { free(path) }
  let place = path.map { String(cString: $0) } ?? target
  try say("to hear it:\n  clocksmith voice try \(place.shellWord) 15:15")
  var readable = place
  if !["/opt/", "/srv/", "/usr/"].contains(where: { place.hasPrefix($0) }) {
    // The unit hides home folders and /tmp from the service (ProtectHome=, PrivateTmp=).
    readable = "\(sharedFolder)/\(place.split(separator: "/").last ?? "")"
    try say("to put it where the service can read it:\n  \(copying(pack, place, to: readable))")
  }
  try say("to use it, in [announce] of the configuration:\n  voice = \(readable)")
}

/// The command that copies the files of a pack, and not the takes beside them. With install(1)
/// everyone can read the copies, whatever the umask was when they were made.
private func copying(_ pack: VoicePack, _ place: String, to folder: String) -> String {
  let texts = names(inFolder: place).filter { name in
    name == "voice.conf" || name == pack.licence || name == "NOTICE"
  }
  var sources = texts.map { "\(place)/\($0)".shellWord }
  let paths = pack.clipNames.compactMap { pack.clip($0)?.path }
  let suffixes = Set(paths.compactMap { path in path.split(separator: ".").last })
  for suffix in suffixes.sorted() { sources.append("\(place.shellWord)/*.\(suffix)") }
  return "sudo install -D -m 644 -t \(folder.shellWord) \(sources.joined(separator: " "))"
}

private let sharedFolder = "/usr/local/share"

/// A folder's name without the slash that shells add.
func withoutSlash(_ folder: String) -> String {
  var folder = folder
  while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
  return folder
}

private func verifyVoice(_ name: String) throws -> Int32 {
  let pack = try voicePack(named: name)
  let verification = VoiceVerification(of: pack)
  var hasFound = false
  func found(_ words: String) throws {
    hasFound = true
    try say("FOUND " + words)
  }
  for (wording, interval) in verification.coverage {
    if let interval {
      try say("ok    \(wording.name)    it says \(interval.times)")
    } else {
      let isMendable = pack.shortestInterval(wording: wording) != nil
      try found(
        "\(wording.name)    it says not even the full hours; "
          + (isMendable ? "mend the clips below" : "add rules or clips"))
    }
  }
  if verification.coverage.isEmpty { try found("rules       neither [clock 12] nor [clock 24]") }
  try say("ok    timers      it \(verification.timers)")
  for words in verification.brokenRules { try found("rules       \(words)") }
  if let words = verification.crossfade { try found("crossfade   \(words)") }
  for finding in verification.findings {
    try found("clip        \(finding.clip): \(finding.words)")
  }
  if let words = pack.licenceFlaw { try found("licence     \(words)") }
  if verification.findings.isEmpty {
    try say("ok    clips       \(pack.clipNames.count), all well")
  }
  return hasFound ? ExitStatus.found : ExitStatus.done
}
