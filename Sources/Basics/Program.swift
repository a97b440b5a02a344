@preconcurrency import Glibc

/// The version of all programs, as the Debian packages have it.
public let version = "0.1.0"

/// The exit statuses of every subcommand.
public enum ExitStatus {
  public static let done: Int32 = 0
  public static let failed: Int32 = 1
  public static let misused: Int32 = 2
  public static let found: Int32 = 3
}

/// A program that is its subcommands.
public struct Program: Sendable {
  let name: String
  /// What it is, for the help.
  let summary: String
  let subcommands: [Subcommand]

  public init(name: String, summary: String, subcommands: [Subcommand]) {
    self.name = name
    self.summary = summary
    self.subcommands = subcommands
  }

  /// Does what the command line says, and ends the process.
  public func main() -> Never {
    Self.occupyStandardDescriptors()
    // A reader that has gone shows as an error of the write.
    signal(SIGPIPE, SIG_IGN)
    // A file that may grow no further is told as an error of the file.
    signal(SIGXFSZ, SIG_IGN)
    exit(status(of: Array(CommandLine.arguments.dropFirst())))
  }

  /// Prints a line to standard error.
  public func complain(_ line: String) {
    fputs("\(name): \(line.printable)\n", stderr)
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

  private func status(of words: [String]) -> Int32 {
    guard let word = words.first else {
      complain("no subcommand; see '\(name) --help'")
      return ExitStatus.misused
    }
    do {
      if ["--help", "-h", "help"].contains(word) {
        try say(help)
        try flushOutput()
        return ExitStatus.done
      }
      if word == "--version" {
        try say("\(name) \(version)")
        try flushOutput()
        return ExitStatus.done
      }
      guard let subcommand = subcommands.first(where: { $0.name == word }) else {
        complain("unknown subcommand '\(word)'; see '\(name) --help'")
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

  private func run(_ subcommand: Subcommand, _ words: [String]) throws -> Int32 {
    let arguments = try subcommand.parse(words, of: name)
    let result: Int32
    if arguments.has("help") {
      try say(subcommand.help(of: name))
      result = ExitStatus.done
    } else {
      result = try subcommand.run(arguments)
    }
    try flushOutput()
    return result
  }

  private var help: String {
    let lines = subcommands.map {
      "  \($0.name)" + String(repeating: " ", count: 10 - $0.name.count) + $0.summary
    }
    return """
      usage: \(name) SUBCOMMAND [options]

      \(summary)

      \(lines.joined(separator: "\n"))

      '\(name) SUBCOMMAND --help' explains each; --version prints the version.
      Exit status: 0 done, 1 failed, 2 misused, 3 a check found something.
      """
  }
}
