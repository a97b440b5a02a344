import Basics
import Relay

let runCommand = Subcommand(
  name: "run", operands: "", mostOperands: 0,
  summary: "connect the clock and the broker, until it is stopped",
  details: """
    Tells the broker how the clock is, and has the clock do what messages ask for. SIGTERM ends it.
    A broker or a clock that is not there is waited for; what happens is told on standard error.
    """,
  options: [configOption]
) { arguments in
  try RelayService(path: arguments["config"]).run()
  return ExitStatus.done
}
