import Devices
import Horology

/// The history of one zone over some years, from one seed.
public struct Simulation {
  /// June 2027: what an RTC shows before November 2026 is not believed.
  private static let beginning: Int64 = 1_811_808_000 * second
  /// Zones with odd offsets, that are put in the place of the one that there is.
  private static let others = [
    "Europe/London", "Australia/Lord_Howe", "America/St_Johns", "Asia/Kathmandu", "Pacific/Chatham",
  ]

  public let seed: UInt64
  public let zone: String
  private let length: Int64
  private let plan: Plan
  private let faces: Faces
  private let sabotage: Sabotage?
  /// How often a history is told again at most, to shorten it.
  private let patience: Int

  /// What came of a history.
  public struct Outcome: Sendable {
    /// How much of it there was, in years.
    public var years: Double
    public var soundings: Int
    /// How often each kind of fault struck.
    public var faults: [String: Int]
    public var violation: Failure?

    public init(
      years: Double = 0, soundings: Int = 0, faults: [String: Int] = [:], violation: Failure? = nil
    ) {
      self.years = years
      self.soundings = soundings
      self.faults = faults
      self.violation = violation
    }
  }

  /// What was violated, and the shortest history found in which it is.
  public struct Failure: Sendable {
    public let invariant: String
    /// What was wrong.
    public let what: String
    public let seed: UInt64
    public let zone: String
    /// UTC, as the clock showed it.
    public let shown: String
    /// What happened before, each with what the clock showed.
    public let history: [String]
    /// What the service did in the end, and what was heard of it.
    public let end: [String]
    /// What the owner had set.
    public let rules: String
  }

  /// - Parameter zone: of the tz database.
  public init(seed: UInt64, years: Double, zone: String, faults: Faults) {
    self.init(seed: seed, years: years, zone: zone, faults: faults, sabotage: nil)
  }

  init(
    seed: UInt64, years: Double, zone: String, faults: Faults, sabotage: Sabotage?,
    patience: Int = 120
  ) {
    self.patience = patience
    self.seed = seed
    self.zone = zone
    self.sabotage = sabotage
    length = Int64(years * 365.25 * Double(day))
    let zones = Self.others + [String](repeating: zone, count: Self.others.count)
    plan = Plan(seed: seed.mixed(with: zone), faults: faults, zones: zones)
    let first = Self.beginning / second
    faces = Faces(over: first - 366 * 86_400..<first + length / second + 3 * 366 * 86_400)
  }

  /// - Parameter goesOn: asked after each month; false ends the history there.
  public func run(while goesOn: () -> Bool = { true }) -> Outcome {
    var chance = Chance(seed: plan.seed)
    let rules = plan.faults == .none ? OracleRules() : OracleRules(&chance)
    let start = Self.beginning + chance.between(0, day)
    var world = World(shown: start, rules: rules, zone: zone, faces: faces, sabotage: sabotage)
    var chapter = 0
    while true {
      let scene = world.scene
      let end = min(Int64(chapter + 1) * Plan.chapter, length)
      world.run(until: end, plan.incidents(ofChapter: chapter))
      if let violation = world.oracle.violation {
        return outcome(world, failure(violation, scene, world))
      }
      guard end < length, goesOn() else { return outcome(world, nil) }
      chapter += 1
      // The next chapter begins as a scene, so that it can be begun anew.
      world = World(world.scene, faces: faces, sabotage: sabotage)
    }
  }

  private func outcome(_ world: World, _ failure: Failure?) -> Outcome {
    Outcome(
      years: Double(world.machine.moment.elapsed) / Double(day) / 365.25,
      soundings: world.oracle.soundings, faults: world.oracle.counts, violation: failure)
  }

  private func failure(
    _ violation: Oracle.Violation, _ scene: World.Scene, _ world: World
  ) -> Failure {
    let shrinking = Shrinking(scene: scene, faces: faces, sabotage: sabotage, patience: patience)
    let shortest = shrinking.told(shrinking.shortest(world, violation.invariant))
    let found = shortest.oracle.violation ?? violation
    return Failure(
      invariant: found.invariant.rawValue, what: found.what, seed: seed, zone: zone,
      shown: found.shown.utcText,
      history: shortest.happened.map { "\($0.moment.shown.utcText)  \($0.incident.kind)" },
      end: Array(shortest.diary?.end ?? []),
      rules: "\(scene.rules); in the end \(shortest.machine.rules)")
  }
}

/// Finds a shorter history that violates the same.
struct Shrinking {
  let scene: World.Scene
  let faces: Faces
  let sabotage: Sabotage?
  let patience: Int

  /// Tells a history once more, with a diary.
  func told(_ world: World) -> World {
    let told = World(scene, faces: faces, sabotage: sabotage)
    told.diary = Diary()
    told.run(until: world.machine.moment.elapsed + hour, world.happened.map(\.incident))
    return told
  }

  /// Leaves out half of the incidents, a quarter, and so on, down to one by one.
  /// - Parameter world: in which the invariant was violated.
  func shortest(_ world: World, _ invariant: Oracle.Invariant) -> World {
    let end = world.machine.moment.elapsed + hour
    var best = world
    var size = max(1, world.happened.count / 2)
    var tries = 0
    while true {
      var start = 0
      var hasShrunk = false
      while start < best.happened.count, tries < patience {
        var kept = best.happened.map(\.incident)
        kept.removeSubrange(start..<min(start + size, kept.count))
        let shorter = World(scene, faces: faces, sabotage: sabotage)
        shorter.run(until: end, kept)
        tries += 1
        if shorter.oracle.violation?.invariant == invariant {
          best = shorter
          hasShrunk = true
        } else {
          start += size
        }
      }
      if size == 1 && !hasShrunk || tries >= patience { return best }
      size = max(1, size / 2)
    }
  }
}
