import Basics
import Relay

let runCommand = Subcommand(
  name: "run", operands: "", mostOperands: 0,
  summary: "run the relay until it is stopped",
  details: """
    Publishes the clock's state, carries out commands and sends messages to phones and programs, as
    the configuration says. Waits for a broker or a clock that cannot be reached. Logs to standard
    error. SIGTERM ends it, and SIGHUP reloads the configuration.
    """,
  options: [configOption]
) { arguments in
  try RelayService(path: arguments["config"]).run()
  return ExitStatus.done
}
