import Basics
import Devices
@preconcurrency import Glibc

@main
enum Main {
  private static let program = Program(
    name: "clocksmith",
    summary:
      "A talking clock for a Raspberry Pi with a speaker: it says the time every quarter of an hour.",
    subcommands: [
      runCommand, sayCommand, renderCommand, agendaCommand, statusCommand, checkCommand,
      muteCommand, unmuteCommand, stopCommand, timerCommand, intervalCommand, alarmCommand,
      voiceCommand,
    ])

  static func main() {
    SystemZone.readOnlyWhenAsked()
    program.main()
  }

  /// Prints a line to standard error.
  fileprivate static func complain(_ line: String) { program.complain(line) }
}

/// Prints a line to standard error.
func complain(_ line: String) { Main.complain(line) }

let configOption = Option(
  name: "config", argument: "FILE", help: "read this instead of /etc/clocksmith")
let zoneOption = Option(
  name: "zone", argument: "ZONE",
  help: "a zone of the tz database, as Europe/London\n(default: the system's)")
