import Basics
@preconcurrency import Glibc
import Horology
import Service

let runCommand = Subcommand(
  name: "run", operands: "", mostOperands: 0,
  summary: "say the time every quarter of an hour, until it is stopped",
  details: """
    Says the time at every quarter of an hour, or as configured. SIGTERM stops it, and SIGHUP makes
    it read the configuration again. It prints what it does on standard error. If another clocksmith
    is already on the system bus, it refuses to run, because both would speak.
    """,
  options: [
    configOption,
    Option(
      name: "output", argument: "FILE.wav",
      help: "play into this file in real time instead of the\nspeaker"),
    Option(name: "say-now", argument: nil, help: "say the time once at the start"),
    Option(
      name: "untrusted", argument: "POLICY",
      help: """
        while the clock is not synchronised: silent, chime,
        ask or speak (default: as configured)
        """),
  ]
) { arguments in
  var options = Clocksmith.Options()
  options.configurationPath = arguments["config"]
  options.output = try arguments.soundFile(inPlace: true)
  options.saysNow = arguments.has("say-now")
  if let text = arguments["untrusted"] {
    guard let policy = UntrustedPolicy(rawValue: text) else {
      throw Misuse(
        description: "--untrusted '\(text.excerpt)': allowed are "
          + UntrustedPolicy.allCases.map(\.rawValue).joined(separator: ", "))
    }
    options.untrusted = policy
  }
  if options.output == nil { try refuseBesideAnother() }
  Configuration.restoreMixer()
  try Clocksmith(options).run()
  return ExitStatus.done
}

/// Only at a terminal: the installed service goes on and warns, for it must not be silent for good
/// because of a clock that was forgotten in a terminal.
private func refuseBesideAnother() throws(Fault) {
  // Do not wait for a bus that does not answer at once: the running clock looks for it again.
  guard getenv("NOTIFY_SOCKET") == nil, let service = try? RunningService(patience: .seconds(1))
  else { return }
  let process = service.process.map { " as process \($0)" } ?? ""
  throw Fault(
    "clocksmith run",
    "a clocksmith runs here already\(process), and both would speak; stop that one first ('sudo "
      + "systemctl stop clocksmith' stops the installed service), or play into a file with --output"
  )
}
