import Basics
import Simulation

/// What is to be simulated.
struct Options {
  let seed: UInt64
  let years: Double
  /// Or `all`.
  let zone: String
  let faults: Faults

  /// - Throws: `Misuse` if one is out of its range.
  init(_ arguments: Arguments) throws(Misuse) {
    func value<Value>(_ name: String, _ allowed: String, _ read: (String) -> Value?)
      throws(Misuse) -> Value?
    {
      guard let text = arguments[name] else { return nil }
      guard let value = read(text) else {
        throw Misuse(description: "--\(name) '\(text)' is not \(allowed)")
      }
      return value
    }
    seed = try value("seed", "a whole number of at least 0") { UInt64($0) } ?? 1
    // A run of less than a few days shows nothing.
    years =
      try value("years", "from 0.01 to 100") {
        Double($0).flatMap { (0.01...100).contains($0) ? $0 : nil }
      } ?? 1
    zone = arguments["zone"] ?? "Europe/London"
    faults = try value("faults", "none, low or high") { Faults(rawValue: $0) } ?? .high
  }
}

let simulateCommand = Subcommand(
  name: "clocksmith-simulate", operands: "", mostOperands: 0,
  summary: "simulate the clock for years",
  details: """
    Runs the announcer of clocksmith for years in a simulated world with faults, and judges what was
    heard and what was reported. The same seed gives the same history. SIGINT ends it with the results
    so far. Exit status: 0 nothing was violated, 1 something was or the output failed, 2 misused,
    130 interrupted.
    """,
  options: [
    Option(name: "seed", argument: "N", help: "the seed of the faults (default: 1)"),
    Option(name: "years", argument: "Y", help: "how long (default: 1)"),
    Option(
      name: "zone", argument: "ZONE|all",
      help: "a zone of the tz database, or every zone (default:\nEurope/London)"),
    Option(
      name: "faults", argument: "none|low|high", help: "how much goes wrong (default: high)"),
    Option(
      name: "prove", argument: nil,
      help:
        "make faults in the announcer on purpose, one after the\nother, and see whether each is found; exit status 1 if\none is not"
    ),
  ],
  run: { try Main.simulate($0) })
