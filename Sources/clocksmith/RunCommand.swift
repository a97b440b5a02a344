import Basics
import Horology
import Service

let runCommand = Subcommand(
  name: "run", operands: "", mostOperands: 0,
  summary: "say the time at every occasion, until it is stopped",
  details: """
    Says the time at every quarter of an hour, or as the configuration has it. SIGTERM ends it,
    SIGHUP reads the configuration again. What it does is told on standard error.
    """,
  options: [
    configOption,
    Option(
      name: "output", argument: "FILE.wav",
      help: "play into this file in real time, not the speaker"),
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
  options.output = arguments["output"]
  options.saysNow = arguments.has("say-now")
  if let text = arguments["untrusted"] {
    guard let policy = UntrustedPolicy(rawValue: text) else {
      throw Misuse(
        description: "--untrusted '\(text)': allowed are "
          + UntrustedPolicy.allCases.map(\.rawValue).joined(separator: ", "))
    }
    options.untrusted = policy
  }
  try Clocksmith(options).run()
  return ExitStatus.done
}
