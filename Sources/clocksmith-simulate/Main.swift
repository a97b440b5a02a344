import Basics
import Devices
@preconcurrency import Glibc
import Horology
import Simulation

/// Not 0 once SIGINT has come; the results so far are still printed.
nonisolated(unsafe) private var isInterrupted: sig_atomic_t = 0

@main
enum Main {
  /// The exit status that shells give a program ended by SIGINT.
  private static let interrupted: Int32 = 128 + SIGINT

  static func main() { Program(only: simulateCommand).main() }

  static func simulate(_ arguments: Arguments) throws -> Int32 {
    // Write line by line, so that progress is seen.
    setlinebuf(stdout)
    let options = try Options(arguments)
    signal(SIGINT) { _ in isInterrupted = 1 }
    return arguments.has("prove") ? try prove() : try run(options)
  }

  private static func prove() throws -> Int32 {
    var missed = 0
    for sabotage in Sabotage.allCases where isInterrupted == 0 {
      let found = sabotage.found
      try say("\(found == nil ? "MISSED" : "found"): \(sabotage), \(found ?? "nothing")")
      if found == nil { missed += 1 }
    }
    return isInterrupted != 0 ? interrupted : missed == 0 ? 0 : 1
  }

  private static func run(_ options: Options) throws -> Int32 {
    let zones = try zones(of: options)
    var total = Simulation.Summary()
    var violations = 0
    var done = 0
    let start = SystemClock.uptime
    for zone in zones where isInterrupted == 0 {
      let simulation = Simulation(
        seed: options.seed, years: options.years, zone: zone, faults: options.faults)
      let outcome = simulation.run(
        while: { isInterrupted == 0 },
        // Shortening its history may take minutes.
        finds: { try? say("violated: \($0)") })
      done += 1
      total.years += outcome.years
      total.faults.merge(outcome.faults, uniquingKeysWith: +)
      if let failure = outcome.violation {
        violations += 1
        for line in failure { try say("  \(line)") }
        try say(
          "  again: clocksmith-simulate --seed \(options.seed) --years \(options.years) "
            + "--zone \(zone) --faults \(options.faults)")
      }
      if zones.count > 1 {
        let count = outcome.violation == nil ? 0 : 1
        try say("zone: \(zone), soundings \(outcome.soundings), violations \(count)")
      }
    }
    try printFigures(total, zones: done, violations, after: SystemClock.uptime - start)
    if isInterrupted != 0 {
      try say("interrupted: \(done) of \(zones.count) zones, the last perhaps in part")
      return interrupted
    }
    return violations == 0 ? 0 : 1
  }

  private static let database = "/usr/share/zoneinfo/tzdata.zi"

  private static func zones(of options: Options) throws(Misuse) -> [String] {
    do throws(Fault) {
      if options.zone != "all" { return [try SystemZone(name: options.zone).name] }
      // zic(8): a zone begins as `Z Africa/Abidjan -0:16:8 - LMT 1912`. Aliases are links.
      let text = String(decoding: try readRegularFile(database), as: UTF8.self)
      return text.split(separator: "\n").filter { $0.hasPrefix("Z ") }
        .map { String($0.split(separator: " ")[1]) }.sorted()
    } catch {
      throw Misuse(description: error.description)
    }
  }

  private static func printFigures(
    _ total: Simulation.Summary, zones: Int, _ violations: Int, after time: Duration
  ) throws {
    try say("zones: \(zones)")
    try say("years: \(rounded(total.years))")
    try say("soundings: \(total.soundings)")
    let faults = total.faults.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    try say("faults: " + (faults.isEmpty ? "none" : faults.joined(separator: ", ")))
    try say("violations: \(violations)")
    try say("years per second: \(rounded(total.years / max(time.inSeconds, 0.001)))")
  }

  private static func rounded(_ number: Double) -> Double { (number * 100).rounded() / 100 }
}
