@preconcurrency import CLinux
@preconcurrency import Glibc

/// An object, because most facts have none.
public final class Option: Sendable {
  public let name: String
  /// The name of its argument in the help; nil if it takes none.
  public let argument: String?
  public let help: String

  public init(name: String, argument: String?, help: String) {
    (self.name, self.argument, self.help) = (name, argument, help)
  }
}

public struct Subcommand: Sendable {
  public let name: String
  /// What follows the options, as in `[HH:MM]`; empty for nothing.
  let operands: String
  let mostOperands: Int
  public let summary: String
  let details: String
  public let options: [Option]
  let run: @Sendable (Arguments) throws -> Int32

  public init(
    name: String, operands: String, mostOperands: Int, summary: String, details: String,
    options: [Option], run: @escaping @Sendable (Arguments) throws -> Int32
  ) {
    self.name = name
    self.operands = operands
    self.mostOperands = mostOperands
    self.summary = summary
    self.details = details
    self.options = options
    self.run = run
  }

  private static let help = Option(
    name: "help", argument: nil, help: "print this and exit, as -h does")

  /// Where the explanations of options begin.
  private static let indent = String(repeating: " ", count: 24)

  private func title(in program: String) -> String {
    name == program ? name : "\(program) \(name)"
  }

  func help(of program: String) -> String {
    let usage = "usage: \(title(in: program)) [options] \(operands)"
    var lines = [operands.isEmpty ? String(usage.dropLast()) : usage, "", details, "", "options:"]
    for option in options + [Self.help] {
      let form = "  --\(option.name)" + (option.argument.map { " " + $0 } ?? "")
      let help = option.help.split(separator: "\n", omittingEmptySubsequences: false)
      let fits = form.count + 1 < Self.indent.count
      if !fits { lines.append(form) }
      lines.append((fits ? form + Self.indent.dropFirst(form.count) : Self.indent) + help[0])
      lines += help.dropFirst().map { Self.indent + $0 }
    }
    return lines.joined(separator: "\n")
  }
}

public struct Arguments {
  fileprivate(set) var values: [String: String] = [:]
  public fileprivate(set) var operands: [String] = []

  public subscript(_ name: String) -> String? { values[name] }

  public func has(_ name: String) -> Bool { values[name] != nil }

  /// - Parameter place: what the words ask for, as in `'timer list'`.
  /// - Throws: `Misuse` for an option that was given but is not allowed there.
  public func refuse(allBut allowed: Set<String>, of place: String) throws {
    guard let stray = values.keys.sorted().first(where: { !allowed.contains($0) }) else { return }
    throw Misuse(description: "--\(stray) means nothing for \(place); leave it out")
  }
}

/// A wrong command line: what is wrong, and what is right.
public struct Misuse: Error, CustomStringConvertible {
  public let description: String

  public init(description: String) {
    self.description = description
  }
}

extension Subcommand {
  /// Reads the words after the subcommand, with getopt_long(3).
  func parse(_ words: [String], of program: String) throws -> Arguments {
    let all = options + [Self.help]
    let names = all.map { strdup($0.name) }
    defer { for name in names { free(name) } }
    var table = zip(all, names).map { option, name in
      CLinux.option(
        name: name, has_arg: option.argument == nil ? no_argument : required_argument, flag: nil,
        val: 0)
    }
    table.append(CLinux.option())
    let hint = "see '\(title(in: program)) --help'"
    // Swift has replaced what is not UTF-8 by U+FFFD. The result is a name, or a file, that nobody
    // meant.
    if let word = words.first(where: { $0.contains("\u{FFFD}") }) {
      throw Misuse(
        description: "'\(word.excerpt)' is not UTF-8; write it in UTF-8, or rename the file")
    }
    // Otherwise getopt would take a number below zero, as `-6dB`, for an option.
    let mark = "\u{1}"
    let owned = ([title(in: program)] + words).map { word in
      let isNumber = word.hasPrefix("-") && word.dropFirst().first?.isNumber == true
      return strdup(isNumber ? mark + word : word)!
    }
    func unmarked(_ word: UnsafeMutablePointer<CChar>) -> String {
      let word = String(cString: word)
      return word.hasPrefix(mark) ? String(word.dropFirst()) : word
    }
    // getopt moves the operands to the end.
    var argv: [UnsafeMutablePointer<CChar>?] = owned
    argv.append(nil)
    defer { for word in owned { free(word) } }

    var arguments = Arguments()
    opterr = 0
    optind = 0
    while true {
      var index: Int32 = 0
      // With the colon, getopt distinguishes a missing argument from an unknown option.
      let result = getopt_long(Int32(owned.count), argv, ":h", table, &index)
      switch result {
      case -1:
        arguments.operands = argv[Int(optind)...].compactMap { $0.map(unmarked) }
        guard arguments.operands.count <= mostOperands else {
          let mayBelong = mostOperands > 0 || !arguments.values.isEmpty
          throw Misuse(
            description: "unexpected '\(arguments.operands[mostOperands].excerpt)'; "
              + (mayBelong ? "write words that belong together in quotes; " : "") + hint)
        }
        return arguments
      case 0:
        let option = all[Int(index)]
        guard option.argument == nil || !arguments.has(option.name) else {
          throw Misuse(description: "--\(option.name) is given twice; give it once")
        }
        arguments.values[option.name] = optarg.map(unmarked) ?? ""
      case Int32(UInt8(ascii: "h")): arguments.values["help"] = ""
      case Int32(UInt8(ascii: ":")):
        let word = String(cString: argv[Int(optind) - 1]!)
        throw Misuse(description: "'\(word.excerpt)' needs an argument; \(hint)")
      default:
        // There is no other short option.
        let short = owned.map { String(cString: $0) }
          .first { $0.hasPrefix("-") && !$0.hasPrefix("--") && $0 != "-h" }
        let word = optopt == 0 ? String(cString: argv[Int(optind) - 1]!) : short ?? "-"
        let near = nearest(
          to: String(word.prefix { $0 != "=" }), of: all.map { "--\($0.name)" })
        throw Misuse(description: "unknown option '\(word.excerpt)'\(near); \(hint)")
      }
    }
  }
}
