import Basics
import Devices
@preconcurrency import Glibc

/// The exit statuses of every subcommand.
enum ExitStatus {
  static let done: Int32 = 0
  static let failed: Int32 = 1
  static let misused: Int32 = 2
  static let found: Int32 = 3
}

@main
enum Main {
  static let subcommands = [
    runCommand, sayCommand, renderCommand, agendaCommand, statusCommand, checkCommand,
    muteCommand, unmuteCommand, stopCommand, timerCommand, intervalCommand, alarmCommand,
    bellsCommand,
    voiceCommand,
  ]

  static func main() {
    occupyStandardDescriptors()
    // A reader that has gone shows as an error of the write.
    signal(SIGPIPE, SIG_IGN)
    // A file that may grow no further is told as an error of the file.
    signal(SIGXFSZ, SIG_IGN)
    SystemZone.readOnlyWhenAsked()
    exit(status(of: Array(CommandLine.arguments.dropFirst())))
  }

  /// Makes sure that no file which is opened later becomes one of the standard ones: what is meant
  /// for standard error would be written into it. One that was closed stays as unusable as it was,
  /// for a folder is neither read nor written.
  private static func occupyStandardDescriptors() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(descriptor, F_GETFD) == -1 {
      // The lowest that is free: this one.
      _ = open("/", O_RDONLY)
    }
  }

  private static func status(of words: [String]) -> Int32 {
    guard let name = words.first else {
      complain("no subcommand; see 'clocksmith --help'")
      return ExitStatus.misused
    }
    do {
      if ["--help", "-h", "help"].contains(name) {
        try say(help)
        try flushOutput()
        return ExitStatus.done
      }
      if name == "--version" {
        try say("clocksmith \(version)")
        try flushOutput()
        return ExitStatus.done
      }
      guard let subcommand = subcommands.first(where: { $0.name == name }) else {
        complain("unknown subcommand '\(name)'; see 'clocksmith --help'")
        return ExitStatus.misused
      }
      return try run(subcommand, Array(words.dropFirst()))
    } catch let fault as Fault where fault.meansThatTheReaderHasGone {
      return ExitStatus.done
    } catch {
      complain("\(error)")
      return error is Misuse ? ExitStatus.misused : ExitStatus.failed
    }
  }

  private static func run(_ subcommand: Subcommand, _ words: [String]) throws -> Int32 {
    let arguments = try subcommand.parse(words)
    let result: Int32
    if arguments.has("help") {
      try say(subcommand.help)
      result = ExitStatus.done
    } else {
      result = try subcommand.run(arguments)
    }
    try flushOutput()
    return result
  }

  private static var help: String {
    let lines = subcommands.map {
      "  \($0.name)" + String(repeating: " ", count: 10 - $0.name.count) + $0.summary
    }
    return """
      usage: clocksmith SUBCOMMAND [options]

      A talking clock for a Raspberry Pi with a speaker: it says the time every quarter of an hour.

      \(lines.joined(separator: "\n"))

      'clocksmith SUBCOMMAND --help' explains each; --version prints the version.
      Exit status: 0 done, 1 failed, 2 misused, 3 a check found something.
      """
  }
}

/// The version, as the Debian package has it.
let version = "0.1.0"

let configOption = Option(
  name: "config", argument: "FILE", help: "read this instead of /etc/clocksmith")
let zoneOption = Option(
  name: "zone", argument: "ZONE",
  help: "a zone of the tz database, as Europe/London\n(default: the system's)")
