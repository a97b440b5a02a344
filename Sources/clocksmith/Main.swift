import Basics
import Daemon
@preconcurrency import Glibc
import Service

private let program = Program(
  name: "clocksmith",
  summary:
    "A talking clock for a Raspberry Pi with a speaker: it says the time every quarter of an hour.",
  subcommands: [
    runCommand, sayCommand, renderCommand, agendaCommand, statusCommand, checkCommand,
    setupCommand, volumeCommand, muteCommand, unmuteCommand, stopCommand, timerCommand,
    intervalCommand, alarmCommand, setCommand, voiceCommand,
  ])

@main
enum Main {
  static func main() { program.main() }
}

func complain(_ line: String) { program.complain(line) }

let configOption = Option(
  name: "config", argument: "FILE", help: "read this instead of /etc/clocksmith")
let zoneOption = Option(
  name: "zone", argument: "ZONE",
  help: "a zone of the tz database, for example Europe/London\n(default: the clock's)")

extension EventLoop {
  func whenAskedToEnd(_ handler: @escaping () -> Void) throws(Fault) -> [EventSource] {
    var sources: [EventSource] = []
    for signal in [SIGINT, SIGQUIT, SIGTERM, SIGHUP] {
      sources.append(try whenSignalled(signal, handler))
    }
    return sources
  }
}

/// The path without links; nil, with `errno`, if nothing is there.
func resolved(_ path: String) -> String? {
  guard let resolved = realpath(path, nil) else { return nil }
  defer { free(resolved) }
  return String(cString: resolved)
}

extension Configuration {
  /// A watch that has looked at the clock once.
  var clockWatch: ClockWatch {
    let watch = ClockWatch(rtc: rtc, greatestError: greatestError)
    _ = watch.judge()
    return watch
  }
}
