import Basics
import Horology
import Service

let sayCommand = Subcommand(
  name: "say", operands: "[HH:MM]", mostOperands: 2,
  summary: "say the time now, or a given time",
  details: """
    Says the time now, or HH:MM in 24 hours, in words only. If the service is running, it says the
    time, and obeys the switch. With --config or --output, or without a service, the command speaks
    by itself. If the system bus does not answer within five seconds, it also speaks by itself, with
    a note.
    """,
  options: [
    configOption,
    Option(
      name: "output", argument: "FILE.wav",
      help: "write a sound file instead of playing: FLAC if\nits name ends in .flac, CAF if in .caf"
    ),
  ]
) { arguments in
  let words = arguments.operands.joined(separator: " ")
  let given = words.isEmpty ? nil : try timeOfDay(words)
  let output = try arguments.soundFile()
  if !arguments.has("config"), output == nil, let service = reachableService() {
    let answer = try service.ask(.announce(given, at: nil))
    try tellDone(answer[Request.Keys.text] ?? "")
    return ExitStatus.done
  }
  let configuration = try Configuration.load(path: arguments["config"])
  let clock = configuration.clockWatch.state
  if given == nil, clock.trust == .untrusted {
    complain("note: this time may be wrong: \(clock.basis.words)")
  }
  try tellDone(
    try speak(
      given.map { CivilTime($0) }, try configuration.composerOfOneTime(), configuration,
      into: output))
  return ExitStatus.done
}
