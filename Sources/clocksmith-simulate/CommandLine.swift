@preconcurrency import CLinux
@preconcurrency import Glibc
import Simulation

/// The options of the command line.
struct Wish {
  var seed: UInt64 = 1
  var years = 1.0
  /// Nil for every zone.
  var zone: String? = "Europe/London"
  var faults = Faults.high
  /// True to make faults on purpose, to see whether the oracle finds them.
  var isProof = false
  var isHelp = false
}

/// The command line is wrong; the description says how, and how to put it right.
struct Misuse: Error {
  let description: String
}

let help = """
  usage: clocksmith-simulate [options]

  Runs the announcer of clocksmith for years in a simulated world with faults, and judges what was
  heard and what was reported. The same seed gives the same history. SIGINT ends it with the results
  so far.

  options:
    --seed N          of the faults (default: 1)
    --years Y         how long (default: 1)
    --zone ZONE|all   a zone of the tz database, or every zone (default: Europe/London)
    --faults none|low|high
                      how much goes wrong (default: high)
    --prove           make faults in the announcer on purpose, one after the other, and see
                      whether each is found; exit status 1 if one is not
    --help            print this and exit

  Exit status: 0 nothing was violated, 1 something was or the output failed, 2 misused,
  130 interrupted.
  """

extension Wish {
  /// Reads the words after the program's name by getopt_long(3).
  init(_ words: [String]) throws(Misuse) {
    let options = ["seed", "years", "zone", "faults", "prove", "help"]
    let names = options.map { strdup($0) }
    defer { for name in names { free(name) } }
    var table = zip(options, names).map { option, name in
      CLinux.option(
        name: name,
        has_arg: ["prove", "help"].contains(option) ? no_argument : required_argument, flag: nil,
        val: 0)
    }
    table.append(CLinux.option())
    let owned = (["clocksmith-simulate"] + words).map { strdup($0) }
    defer { for word in owned { free(word) } }
    let argv = owned + [nil]
    opterr = 0
    optind = 1
    while true {
      var index: Int32 = 0
      let at = Int(optind)
      let result = getopt_long(Int32(owned.count), argv, ":", table, &index)
      if result == -1 { break }
      let word = words.indices.contains(at - 1) ? words[at - 1] : ""
      guard result == 0 else {
        let what =
          result == Int32(UInt8(ascii: ":")) ? "'\(word)' needs an argument" : "unknown '\(word)'"
        throw Misuse(description: "\(what); \(Self.hint)")
      }
      try take(options[Int(index)], optarg.map { String(cString: $0) } ?? "")
    }
    if let operand = argv[Int(optind)].map({ String(cString: $0) }) {
      throw Misuse(description: "unexpected '\(operand)'; \(Self.hint)")
    }
  }

  private mutating func take(_ name: String, _ value: String) throws(Misuse) {
    switch name {
    case "seed":
      guard let seed = UInt64(value) else {
        throw Misuse(description: "--seed '\(value)' is no whole number of at least 0")
      }
      self.seed = seed
    case "years":
      // A run of less than a few days shows nothing.
      guard let years = Double(value), years >= 0.01, years <= 100 else {
        throw Misuse(description: "--years '\(value)' is not from 0.01 to 100")
      }
      self.years = years
    case "zone": zone = value == "all" ? nil : value
    case "faults":
      guard let faults = Faults(rawValue: value) else {
        throw Misuse(description: "--faults '\(value)' is neither none, low nor high")
      }
      self.faults = faults
    case "prove": isProof = true
    default: isHelp = true
    }
  }

  private static let hint = "see 'clocksmith-simulate --help'"
}
