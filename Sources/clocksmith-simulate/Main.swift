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

  static func main() {
    // Write line by line, so that progress is seen.
    setlinebuf(stdout)
    do throws(Misuse) {
      let wish = try Wish(Array(CommandLine.arguments.dropFirst()))
      if wish.isHelp {
        print(help)
        exit(isWritten() ? 0 : 1)
      }
      signal(SIGINT) { _ in isInterrupted = 1 }
      let status = wish.isProof ? prove() : try run(wish)
      exit(isWritten() ? status : 1)
    } catch {
      complain(error.description)
      exit(2)
    }
  }

  /// False, with a complaint, if standard output has not taken everything.
  private static func isWritten() -> Bool {
    // The stream remembers an earlier failure, but not its reason.
    if fflush(stdout) == 0 && ferror(stdout) == 0 { return true }
    complain("cannot write to standard output: it is closed, or its disk is full")
    return false
  }

  private static func prove() -> Int32 {
    var missed = 0
    for proof in Proof.all where isInterrupted == 0 {
      let violated = proof.violated.isEmpty ? "nothing" : proof.violated.joined(separator: ", ")
      print("\(proof.isFound ? "found" : "MISSED"): \(proof.name), violated \(violated)")
      if !proof.isFound { missed += 1 }
      if ferror(stdout) != 0 { return 1 }
    }
    return isInterrupted != 0 ? interrupted : missed == 0 ? 0 : 1
  }

  private static func run(_ wish: Wish) throws(Misuse) -> Int32 {
    let zones = try zones(of: wish)
    var total = Simulation.Outcome()
    var violations = 0
    var done = 0
    let start = SystemClock.uptime
    for zone in zones where isInterrupted == 0 {
      let simulation = Simulation(
        seed: wish.seed, years: wish.years, zone: zone, faults: wish.faults)
      let outcome = simulation.run { isInterrupted == 0 }
      done += 1
      total.years += outcome.years
      total.soundings += outcome.soundings
      total.faults.merge(outcome.faults, uniquingKeysWith: +)
      if let failure = outcome.violation {
        violations += 1
        tell(failure, wish)
      }
      if zones.count > 1 {
        let count = outcome.violation == nil ? 0 : 1
        print("zone: \(zone), soundings \(outcome.soundings), violations \(count)")
        // Stop: further results cannot be written either.
        if ferror(stdout) != 0 { return 1 }
      }
    }
    tell(total, zones: done, violations, after: SystemClock.uptime - start)
    if isInterrupted != 0 {
      print("interrupted: \(done) of \(zones.count) zones, the last perhaps in part")
      return interrupted
    }
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
