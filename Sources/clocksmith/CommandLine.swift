import Basics
@preconcurrency import CLinux
@preconcurrency import Glibc

/// One option of a subcommand.
struct Option: Sendable {
  /// Without the dashes.
  let name: String
  /// How its argument is called in the help; nil if it takes none.
  let argument: String?
  let help: String
}

/// What a subcommand is, for the parser and for the help.
struct Subcommand: Sendable {
  let name: String
  /// What follows the options, as in `[HH:MM]`; empty for nothing.
  let operands: String
  let mostOperands: Int
  /// One line for the overview.
  let summary: String
  /// What the help says before the options.
  let details: String
  let options: [Option]
  let run: @Sendable (Arguments) throws -> Int32

  /// Where the explanations of options begin.
  private static let indent = String(repeating: " ", count: 24)

  /// What `clocksmith NAME --help` prints.
  var help: String {
    let usage = "usage: clocksmith \(name) [options] \(operands)"
    var lines = [operands.isEmpty ? String(usage.dropLast()) : usage, "", details, "", "options:"]
    for option in options + [Option(name: "help", argument: nil, help: "print this and exit")] {
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

/// What a subcommand was given.
struct Arguments {
  fileprivate(set) var values: [String: String] = [:]
  fileprivate(set) var operands: [String] = []

  /// The argument of an option; nil if the option was not given.
  subscript(_ name: String) -> String? { values[name] }

  /// True if the option was given.
  func has(_ name: String) -> Bool { values[name] != nil }
}

/// The command line is wrong: what, and what is right.
struct Misuse: Error, CustomStringConvertible {
  let description: String
}

extension Subcommand {
  /// Reads the words after the subcommand by getopt_long(3).
  /// - Throws: `Misuse` for an unknown option, a missing argument, or too many operands.
  func parse(_ words: [String]) throws -> Arguments {
    let all = options + [Option(name: "help", argument: nil, help: "")]
    let names = all.map { strdup($0.name) }
    defer { for name in names { free(name) } }
    var table = zip(all, names).map { option, name in
      CLinux.option(
        name: name, has_arg: option.argument == nil ? no_argument : required_argument, flag: nil,
        val: 0)
    }
    table.append(CLinux.option())
    var argv = (["clocksmith \(name)"] + words).map { strdup($0) }
    let owned = argv
    argv.append(nil)
    defer { for word in owned { free(word) } }

    var arguments = Arguments()
    opterr = 0
    optind = 0
    while true {
      var index: Int32 = 0
      // The colon asks for a missing argument to be told from an unknown option.
      let result = getopt_long(Int32(owned.count), argv, ":", table, &index)
      switch result {
      case -1:
        arguments.operands = argv[Int(optind)...].compactMap { $0.map { String(cString: $0) } }
        guard arguments.operands.count <= mostOperands else {
          throw Misuse(
            description: "unexpected '\(arguments.operands[mostOperands])'; \(hint)")
        }
        return arguments
      case 0:
        let option = all[Int(index)]
        arguments.values[option.name] = optarg.map { String(cString: $0) } ?? ""
      case Int32(UInt8(ascii: ":")):
        let word = String(cString: argv[Int(optind) - 1]!)
        throw Misuse(description: "'\(word)' needs an argument; \(hint)")
      default:
        // There are no short options. Of a word of several, getopt stays at the first that it
        // does not know; of a word of one it has gone on.
        let candidates = argv[(Int(optind) - 1)...].prefix(2).compactMap {
          $0.map { String(cString: $0) }
        }
        let isShort = optopt != 0
        let word =
          candidates.first { !isShort || ($0.hasPrefix("-") && !$0.hasPrefix("--")) } ?? "-"
        throw Misuse(description: "unknown option '\(word)'; \(hint)")
      }
    }
  }

  private var hint: String { "see 'clocksmith \(name) --help'" }
}
