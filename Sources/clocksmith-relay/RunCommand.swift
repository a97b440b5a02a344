import Basics
import Relay

let runCommand = Subcommand(
  name: "run", operands: "", mostOperands: 0,
  summary: "connect the clock and the broker, until it is stopped",
  details: """
    Publishes the clock's state and carries out commands. Waits for a broker or an announcer that
    cannot be reached. Logs to standard error. SIGTERM ends it.
    """,
  options: [configOption]
) { arguments in
  try RelayService(path: arguments["config"]).run()
  return ExitStatus.done
}
