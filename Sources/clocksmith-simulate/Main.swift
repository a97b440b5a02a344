import Basics
import Devices
@preconcurrency import Glibc
import Horology
import Simulation

@main
enum Main {
  static func main() {
    // A line at a time, for whoever watches.
    setlinebuf(stdout)
    do throws(Misuse) {
      let wish = try Wish(Array(CommandLine.arguments.dropFirst()))
      if wish.isHelp {
        print(help)
        exit(0)
      }
      exit(try run(wish))
    } catch {
      complain(error.description)
      exit(2)
    }
  }

  private static func run(_ wish: Wish) throws(Misuse) -> Int32 {
    let zones = try zones(of: wish)
    var total = Simulation.Outcome()
    var violations = 0
    let start = SystemClock.uptime
    for zone in zones {
      let simulation = Simulation(
        seed: wish.seed, years: wish.years, zone: zone, faults: wish.faults)
      let outcome = simulation.run()
      total.years += outcome.years
      total.soundings += outcome.soundings
      total.faults.merge(outcome.faults, uniquingKeysWith: +)
      if let failure = outcome.violation {
        violations += 1
        tell(failure, wish)
      }
    }
    tell(total, zones: zones.count, violations, after: SystemClock.uptime - start)
    return violations == 0 ? 0 : 1
  }

  private static func zones(of wish: Wish) throws(Misuse) -> [String] {
    do throws(Fault) {
      guard let zone = wish.zone else { return try ZoneNames.all() }
      _ = try SystemZone(name: zone)
      return [zone]
    } catch {
      throw Misuse(description: error.description)
    }
  }

  private static func tell(_ failure: Simulation.Failure, _ wish: Wish) {
    print("violated: \(failure.invariant): \(failure.what)")
    print("  at \(failure.shown), seed \(failure.seed), zone \(failure.zone)")
    for line in failure.history { print("  \(line)") }
    print("  in the end:")
    for line in failure.end { print("    \(line)") }
    print("  rules: \(failure.rules)")
    print(
      "  again: clocksmith-simulate --seed \(failure.seed) --years \(wish.years) "
        + "--zone \(failure.zone) --faults \(wish.faults)")
  }

  private static func tell(
    _ total: Simulation.Outcome, zones: Int, _ violations: Int, after time: Duration
  ) {
    print("zones: \(zones)")
    print("years: \(rounded(total.years))")
    print("soundings: \(total.soundings)")
    let faults = total.faults.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    print("faults: " + (faults.isEmpty ? "none" : faults.joined(separator: ", ")))
    print("violations: \(violations)")
    print("years per second: \(rounded(total.years / max(time.inSeconds, 0.001)))")
  }

  private static func rounded(_ number: Double) -> Double { (number * 100).rounded() / 100 }

  private static func complain(_ line: String) {
    fputs("clocksmith-simulate: \(line.printable)\n", stderr)
  }
}
