@preconcurrency import Glibc

/// The version of all programs, as the Debian packages have it.
public let version = "0.9.0"

public enum ExitStatus {
  public static let done: Int32 = 0
  public static let failed: Int32 = 1
  public static let misused: Int32 = 2
  public static let found: Int32 = 3
}

/// A program made of subcommands, or of one command that the program is named after.
public struct Program: Sendable {
  let name: String
  let summary: String
  let subcommands: [Subcommand]

  public init(name: String, summary: String, subcommands: [Subcommand]) {
    self.name = name
    self.summary = summary
    self.subcommands = subcommands
  }

  public init(only command: Subcommand) {
    self.init(name: command.name, summary: command.summary, subcommands: [command])
  }

  private var only: Subcommand? { subcommands.first { $0.name == name } }

  /// Runs the subcommand of the command line, and ends the process.
  public func main() -> Never {
    // If the reader has gone, or a file may grow no further, the write fails instead.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    exit(status(of: Array(CommandLine.arguments.dropFirst())))
  }

  public func complain(_ line: String) {
    fputs("\(name): \(line.printable)\n", stderr)
  }

  private func status(of words: [String]) -> Int32 {
    do {
      let status = try run(words)
      try flushOutput()
      return status
    } catch {
      complain("\(error)")
      return error is Misuse ? ExitStatus.misused : ExitStatus.failed
    }
  }

  private func run(_ words: [String]) throws -> Int32 {
    if let only { return try run(only, words) }
    guard let word = words.first else {
      throw Misuse(description: "no subcommand; see '\(name) --help'")
    }
    let rest = Array(words.dropFirst())
    func subcommand(_ name: String?) -> Subcommand? { subcommands.first { $0.name == name } }
    if let named = subcommand(word) { return try run(named, rest) }
    if word == "help", let asked = subcommand(rest.first) { return try run(asked, ["--help"]) }
    switch word {
    case "--help", "-h", "help": try say(help)
    case "--version":
      if let extra = rest.first {
        throw Misuse(description: "unexpected '\(extra.excerpt)'; write --version alone")
      }
      try say("\(name) \(version)")
    default:
      let near = nearest(to: word, of: subcommands.map(\.name) + ["--help", "--version"])
      throw Misuse(
        description: "unknown subcommand '\(word.excerpt)'\(near); see '\(name) --help'")
    }
    return ExitStatus.done
  }

  private func run(_ subcommand: Subcommand, _ words: [String]) throws -> Int32 {
    let arguments = try subcommand.parse(words, of: name)
    guard arguments.has("help") else { return try subcommand.run(arguments) }
    try say(subcommand.help(of: name))
    return ExitStatus.done
  }

  private var help: String {
    let lines = subcommands.map { "  \($0.name.padded(to: 10))\($0.summary)" }
    return """
      usage: \(name) SUBCOMMAND [options]

      \(summary)

      \(lines.joined(separator: "\n"))

      '\(name) SUBCOMMAND --help' explains each; --version prints the version.
      Exit status: 0 done, 1 failed, 2 misused, 3 it found something that needs you.
      """
  }
}

/// True once a write has shown that the reader of standard output has gone, as head(1) goes when it
/// has enough lines. What prints until it is told to end can end then.
nonisolated(unsafe) public private(set) var outputIsUnread = false

/// Prints to standard output, safe for a terminal: a line may hold words from a file of a stranger,
/// as a voice pack is. Once its reader has gone, this does nothing.
/// - Throws: `Fault` if it cannot be written: a script must not take half an answer for a whole one.
public func say(_ line: String) throws(Fault) {
  guard !outputIsUnread else { return }
  if fputs(line.printableLines + "\n", stdout) < 0 { try noteFailedOutput(errno) }
}

/// Writes out the lines that `say(_:)` has buffered.
public func flushOutput() throws(Fault) {
  guard !outputIsUnread else { return }
  if fflush(stdout) != 0 { try noteFailedOutput(errno) }
}

private func noteFailedOutput(_ code: Int32) throws(Fault) {
  guard code == EPIPE else { throw Fault("standard output", errno: code) }
  outputIsUnread = true
}

/// Prints at once a line about something that was done.
/// - Throws: `Fault` with `done` if it cannot be written: the error must not hide what was done.
public func tellDone(
  _ line: String, _ done: String = "it was done all the same"
) throws(Fault) {
  do throws(Fault) {
    try say(line)
    try flushOutput()
  } catch {
    throw Fault(error.operation, code: error.code, "\(error.detail); \(done)")
  }
}
