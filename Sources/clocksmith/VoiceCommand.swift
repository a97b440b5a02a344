import Basics
import Service
import Sound

let voiceCommand = Subcommand(
  name: "voice",
  operands: "list | try VOICE [HH:MM] | export VOICE | verify DIR | record DIR | import DIR",
  mostOperands: 3,
  summary: "list, try and verify voices, record your own, or make one from recordings",
  details: """
    list shows the installed voices, the configured one with a star.

    try VOICE says the time now, or HH:MM in 24 hours, in that voice: the name of an installed
    voice, or the folder of a voice pack. It refuses while the running service sounds, and while
    the switch silences the clock; with --config or --output it does not ask the service.

    export VOICE writes every quarter of an hour into a sound file of its own in the folder
    --output: 0000.wav to 2345.wav, or with --caf 0000.caf to 2345.caf. The licence is put next to
    the files.

    verify DIR reads every clip of a voice. It shows which times the voice says, and lists where it
    misses the quality targets, with what to do. The exit status is 3 if it found something.

    record DIR leads you through the phrases of a voice, and records them with a microphone into
    DIR, which becomes a voice pack. Enter keeps a phrase, p plays it, a takes it again, b goes
    back, q stops. What you keep is on the disk at once, and the next run goes on.

    import DIR makes a voice pack from a folder of recorded words, as one.wav, 1.wav, AM.flac. One
    to twelve, fifteen, thirty, forty-five, AM and PM are enough for the quarters of an hour. It
    reads WAV, FLAC, MP3, Ogg, Opus, AIFF, CAF and the folders of Asterisk and saytime, and through
    ffmpeg other formats, as AAC. The words for every minute, for 24 hours and for timers are in
    /usr/share/doc/clocksmith/docs/own-voice.md.
    """,
  options: [
    Option(
      name: "output", argument: "PACK",
      help:
        "import: the folder to make (default: DIR-voice);\nexport: the folder to make;\n"
        + "try: the sound file to write instead of playing"),
    Option(
      name: "device", argument: "MICROPHONE",
      help:
        "record: a name that 'arecord -L' lists\n(default: default)"
    ),
    Option(
      name: "pack", argument: "PHRASES",
      help:
        "record: quarters, 14 phrases that say every\nquarter of an hour, minutes, 63 that say "
        + "every\nminute, or timers, 66 for timers and intervals\n(default: quarters)"),
    Option(
      name: "style", argument: "STYLE",
      help: "try, export: instead of the configured style, as\nin natural"),
    Option(name: "caf", argument: nil, help: "export: CAF files, for an app on an iPhone, not WAV"),
    Option(name: "json", argument: nil, help: "list: print one JSON object a line"),
    configOption,
  ]
) { arguments in
  let names = Sounds.voiceNames().joined(separator: ", ")
  let voice = "a voice: \(names), or the path of a voice's folder"
  let (first, others) = try arguments.action(
    of: "voice",
    [
      "list": Action(options: ["json", "config"]),
      "try": Action(words: 1...2, options: ["output", "style", "config"], wants: voice),
      "export": Action(
        words: 1...1, options: ["output", "style", "caf", "config"], wants: voice),
      "verify": Action(words: 1...1, wants: voice),
      "record": Action(words: 1...1, options: ["device", "pack", "config"], wants: "a folder"),
      "import": Action(words: 1...1, options: ["output"], wants: "a folder"),
    ],
    wants: "list, try, export, verify, record or import")
  switch first {
  case "list":
    let configuration = try usableConfiguration(arguments, or: "so no voice has a star")
    return try listVoices(configuration?.voice, asJSON: arguments.has("json"))
  case "try": return try tryVoice(others[0], others.dropFirst().first, arguments)
  case "export": return try exportVoice(others[0], arguments)
  case "verify": return try verifyVoice(others[0])
  case "record": return try recordVoice(others[0], arguments)
  default: return try importVoice(others[0], arguments)
  }
}

/// Nil, with a note, if the files in /etc have an error. A file of `--config` must have none.
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

func withoutSlash(_ folder: String) -> String {
  var folder = folder
  while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
  return folder
}
