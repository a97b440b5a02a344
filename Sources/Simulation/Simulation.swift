import Horology

/// The history of one zone over some years, from one seed.
public struct Simulation {
  /// 1 June 2027. It is after November 2026, because an RTC that shows less is not believed.
  static let beginning: Int64 = 1_811_808_000 * second
  /// Zones that the machine's zone is changed to, most of them with odd offsets.
  private static let others = [
    "Europe/London", "Australia/Lord_Howe", "America/St_Johns", "Asia/Kathmandu", "Pacific/Chatham",
  ]

  public let seed: UInt64
  public let zone: String
  private let length: Int64
  private let plan: Plan
  private let faces: Faces
  private let sabotage: Sabotage?
  /// The most times a history is replayed to shorten it.
  private let patience: Int

  /// The result of a history.
  public struct Outcome: Sendable {
    /// How much of it was simulated, in years.
    public var years = 0.0
    public var soundings = 0
    /// How often each kind of fault struck.
    public var faults: [String: Int] = [:]
    public var violation: Failure?

    public init() {}
  }

  /// A violated property, and the shortest history found that violates it.
  public struct Failure: Sendable {
    public let property: String
    /// What was wrong.
    public let what: String
    public let seed: UInt64
    public let zone: String
    /// UTC, as the clock showed it.
    public let shown: String
    /// The incidents before the violation, each with the time that the clock showed.
    public let history: [String]
    /// The last things that the service did, and what was heard of them.
    public let end: [String]
    /// The owner's settings, before these incidents and after them.
    public let rules: String
  }

  /// - Parameter zone: a name from the tz database.
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

  /// - Parameters:
  ///   - goesOn: asked after each month; false ends the history there.
  ///   - finds: told of a violation before its history is shortened, which may take minutes.
  public func run(
    while goesOn: () -> Bool = { true }, finds: (String) -> Void = { _ in }
  ) -> Outcome {
    let first = Self.beginning / second
    if let flaw = try? LocalTimes.flaw(in: zone, over: first..<first + length / second) {
      var outcome = Outcome()
      outcome.violation = Failure(
        property: "local times", what: flaw, seed: seed, zone: zone,
        shown: Self.beginning.utcText, history: [], end: [], rules: "")
      return outcome
    }
    var chance = Chance(seed: plan.seed)
    let settings = plan.faults == .none ? .usual : AnnouncerSettings(&chance)
    let start = Self.beginning + chance.between(0, day)
    var world = World(
      shown: start, settings: settings, zone: zone, faces: faces, sabotage: sabotage)
    var chapter = 0
    while true {
      let scene = world.scene
      let end = min(Int64(chapter + 1) * Plan.chapter, length)
      world.run(until: end, plan.incidents(ofChapter: chapter))
      if let violation = world.judge.violation {
        finds("\(violation.property): \(violation.what), at \(violation.shown.utcText)")
        return outcome(world, failure(violation, scene, world))
      }
      guard end < length, goesOn() else { return outcome(world, nil) }
      chapter += 1
      // Each chapter starts from a scene, so that it can be replayed from there.
      world = World(world.scene, faces: faces, sabotage: sabotage)
    }
  }

  private func outcome(_ world: World, _ failure: Failure?) -> Outcome {
    var outcome = Outcome()
    outcome.years = Double(world.moment.elapsed) / Double(day) / 365.25
    outcome.soundings = world.judge.soundings
    outcome.faults = world.judge.counts
    outcome.violation = failure
    return outcome
  }

  private func failure(
    _ violation: Judge.Violation, _ scene: World.Scene, _ world: World
  ) -> Failure {
    let shrinking = Shrinking(scene: scene, faces: faces, sabotage: sabotage, patience: patience)
    let shortest = shrinking.told(shrinking.shortest(world, violation.property))
    let found = shortest.judge.violation ?? violation
    return Failure(
      property: found.property, what: found.what, seed: seed, zone: zone,
      shown: found.shown.utcText,
      history: shortest.happened.map { "\($0.moment.shown.utcText)  \($0.incident.kind)" },
      end: Array(shortest.diary?.end ?? []),
      rules: "\(scene.settings.inShort); in the end \(shortest.machine.settings.inShort)")
  }
}

/// Finds a shorter history that violates the same property.
struct Shrinking {
  let scene: World.Scene
  let faces: Faces
  let sabotage: Sabotage?
  let patience: Int

  /// Replays a history, with a diary.
  func told(_ world: World) -> World {
    let told = World(scene, faces: faces, sabotage: sabotage)
    told.diary = Diary()
    told.run(until: world.moment.elapsed + hour, world.happened.map(\.incident))
    return told
  }

  /// Leaves out half of the incidents, a quarter, and so on, down to one by one.
  /// - Parameter world: the world in which the property was violated.
  func shortest(_ world: World, _ property: String) -> World {
    let end = world.moment.elapsed + hour
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
        if shorter.judge.violation?.property == property {
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
