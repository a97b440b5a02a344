@preconcurrency import Glibc
import Horology
import Service
import Sound

let voiceCommand = Subcommand(
  name: "voice", operands: "list | verify DIR | import DIR", mostOperands: 2,
  summary: "list and verify voices, make one of your own recordings",
  details: """
    list shows the voices that are installed, the configured one with a star.

    verify DIR reads every clip of a voice pack, or of an installed voice by its name: which times
    it says, and what of it misses the quality targets, with what to do. Exit status 3 if something
    was found.

    import DIR makes a voice pack of a folder of recorded words: one to twelve, fifteen, thirty,
    forty-five, AM and PM are enough for the quarters of an hour; o'clock, oh, hundred and all
    numbers from zero to twenty and twenty, thirty, forty, fifty for every minute. A file is named
    after its word: one.wav, 1.wav, AM.flac, a-m.caf; any format, rate and number of channels
    that libsndfile reads. The layouts of Asterisk and saytime are taken as they are.
    """,
  options: [
    Option(
      name: "output", argument: "PACK", help: "the folder to make (default: DIR-voice)"),
    configOption,
  ]
) { arguments in
  let hint = "see 'clocksmith voice --help'"
  switch (arguments.operands.first, arguments.operands.dropFirst().first) {
  case ("import", let folder?):
    return try importVoice(folder, into: arguments["output"])
  case ("verify", let folder?):
    return try verifyVoice(folder)
  case ("list", nil):
    return try listVoices(Configuration.load(path: arguments["config"]))
  case ("list", let word?):
    throw Misuse(description: "unexpected '\(word)'; \(hint)")
  case (let word?, nil) where ["import", "verify"].contains(word):
    throw Misuse(description: "voice \(word) needs a folder; \(hint)")
  case (let word?, _):
    throw Misuse(description: "unknown 'voice \(word)'; \(hint)")
  case (nil, _):
    throw Misuse(description: "voice needs a word that says what to do; \(hint)")
  }
}

private func importVoice(_ folder: String, into output: String?) throws -> Int32 {
  var folder = folder
  while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
  var target = output ?? "\(folder)-voice"
  while target.count > 1, target.hasSuffix("/") { target.removeLast() }
  let recordings = try VoiceImport(folder: folder)
  for problem in recordings.problems { complain(problem.description) }
  guard recordings.problems.isEmpty else {
    complain("nothing was made of \(folder)")
    return ExitStatus.failed
  }
  let pack = try recordings.make(target)
  if !recordings.ignored.isEmpty {
    let first = recordings.ignored.prefix(3).joined(separator: ", ")
    let more = recordings.ignored.count - 3
    complain("note: no words of a time: \(first)\(more > 0 ? " and \(more) more" : "")")
  }
  if let word = recordings.mostPeaked {
    complain(
      "note: levelled to \(recordings.loudnessText) LUFS, lower than -20, for '\(word)' has high "
        + "peaks")
  }
  try say("made \(target): \(pack.clipNames.count) clips")
  try say(coverage(pack))
  let path = realpath(target, nil)
  defer { free(path) }
  let place = path.map { String(cString: $0) } ?? target
  try say("to hear it: 'voice = \(place)' in [announce] of the configuration")
  return ExitStatus.done
}

private func verifyVoice(_ name: String) throws -> Int32 {
  // A folder goes before an installed voice of that name.
  let isFolder = access("\(name)/voice.conf", F_OK) == 0
  let pack = isFolder ? try VoicePack(path: name) : try Sounds.voice(name)
  let verification = VoiceVerification(of: pack)
  var hasFound = false
  func found(_ words: String) throws {
    hasFound = true
    try say("FOUND " + words)
  }
  for (format, interval) in verification.coverage {
    if let interval {
      try say("ok    \(format.rawValue) hours    it says \(interval.times)")
    } else {
      try found("\(format.rawValue) hours    it says not even the full hours; add rules or clips")
    }
  }
  if verification.coverage.isEmpty { try found("rules       neither [clock 12] nor [clock 24]") }
  for words in verification.brokenRules { try found("rules       \(words)") }
  for finding in verification.findings {
    try found("clip        \(finding.clip): \(finding.words)")
  }
  if verification.findings.isEmpty {
    try say("ok    clips       \(pack.clipNames.count), all well")
  }
  return hasFound ? ExitStatus.found : ExitStatus.done
}

private func listVoices(_ configuration: Configuration) throws -> Int32 {
  var names = Sounds.voiceNames()
  if !names.contains(configuration.voice) { names.insert(configuration.voice, at: 0) }
  for name in names {
    let mark = name == configuration.voice ? "*" : " "
    do throws(Fault) {
      let pack = try Sounds.voice(name)
      let clocks = pack.formats.map { "\($0.rawValue) hours" }.joined(separator: " and ")
      try say(
        "\(mark) \(name): \(pack.language), \(pack.description), \(pack.clipNames.count) clips, "
          + clocks)
    } catch {
      try say("\(mark) \(name): cannot be used: \(error)")
    }
  }
  return ExitStatus.done
}

/// What a pack can say, a line for each clock.
private func coverage(_ pack: VoicePack) -> String {
  pack.formats.map { format in
    let times = pack.shortestInterval(format: format)?.times ?? "not even the full hours"
    return "in \(format.rawValue) hours it says \(times)"
  }.joined(separator: "\n")
}
