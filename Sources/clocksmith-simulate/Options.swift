import Basics
import Simulation

/// What is to be simulated.
struct Options {
  var seed: UInt64 = 1
  var years = 1.0
  /// Nil for every zone.
  var zone: String?
  var faults = Faults.high

  /// - Throws: `Misuse` if one is out of its range.
  init(_ arguments: Arguments) throws(Misuse) {
    if let text = arguments["seed"] {
      guard let seed = UInt64(text) else {
        throw Misuse(description: "--seed '\(text)' is not a whole number of at least 0")
      }
      self.seed = seed
    }
    if let text = arguments["years"] {
      // A run of less than a few days shows nothing.
      guard let years = Double(text), years >= 0.01, years <= 100 else {
        throw Misuse(description: "--years '\(text)' is not from 0.01 to 100")
      }
      self.years = years
    }
    let zone = arguments["zone"] ?? "Europe/London"
    self.zone = zone == "all" ? nil : zone
    if let text = arguments["faults"] {
      guard let faults = Faults(rawValue: text) else {
        throw Misuse(description: "--faults '\(text)' is not none, low or high")
      }
      self.faults = faults
    }
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
