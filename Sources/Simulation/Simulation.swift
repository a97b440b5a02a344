import Horology

/// The history of one zone over some years, from one seed.
public struct Simulation {
  /// 1 June 2027. It is after November 2026, because an RTC that shows less is not believed.
  static let beginning: Int64 = 1_811_808_000 * second
  /// Zones that the machine's zone is changed to, most of them with odd offsets.
  private static let others = [
    "Europe/London", "Australia/Lord_Howe", "America/St_Johns", "Asia/Kathmandu", "Pacific/Chatham",
  ]

  private let zone: String
  private let length: Int64
  private let plan: Plan
  var sabotage: Sabotage?
  /// The most times a history is replayed to shorten it.
  var patience = 120

  public struct Summary: Sendable {
    /// How much of it was simulated, in years.
    public var years = 0.0
    public var soundings: Int { faults["announcement"] ?? 0 }
    public var faults: [String: Int] = [:]
    /// What was wrong, and the shortest history found that violates the property: the incidents, the
    /// last things that the service did, what was heard of them, and the owner's settings.
    public var violation: [String]?

    public init() {}
  }

  public init(seed: UInt64, years: Double, zone: String, faults: Faults) {
    self.zone = zone
    length = Int64(years * 365.25 * Double(day))
    let zones = Self.others + [String](repeating: zone, count: Self.others.count)
    plan = Plan(seed: seed.mixed(with: zone), faults: faults, zones: zones)
  }

  /// - Parameters:
  ///   - goesOn: asked after each month; false ends the history there.
  ///   - finds: told of a violation before its history is shortened, which may take minutes.
  public func run(
    while goesOn: () -> Bool = { true }, finds: (String) -> Void = { _ in }
  ) -> Summary {
    var outcome = Summary()
    let first = Self.beginning / second
    if let flaw = try? LocalTimes.flaw(in: zone, over: first..<first + length / second) {
      outcome.violation = [flaw]
      return outcome
    }
    var chance = Chance(seed: plan.seed)
    let settings = plan.faults == .none ? .usual : AnnouncerSettings(&chance)
    let start = Self.beginning + chance.between(0, 95) * 15 * minute
    var world = World(shown: start, settings: settings, zone: zone, sabotage: sabotage)
    for chapter in 0... {
      // Each chapter can be replayed from its beginning.
      let beginning = world
      world = World(copy: beginning)
      let end = min(Int64(chapter + 1) * Plan.chapter, length)
      world.run(until: end, plan.incidents(ofChapter: chapter))
      if let violation = world.judge.violation {
        finds(violation.text)
        outcome.violation = Shrinking(beginning: beginning, patience: patience).failure(of: world)
      } else if end < length, goesOn() {
        continue
      }
      break
    }
    outcome.years = Double(world.moment.elapsed) / Double(day) / 365.25
    outcome.faults = world.judge.counts
    return outcome
  }
}

/// Finds a shorter history that violates the same property.
struct Shrinking {
  let beginning: World
  let patience: Int

  /// - Parameter world: the world in which a property was violated.
  func failure(of world: World) -> [String] {
    let short = shortest(world)
    let told = World(copy: beginning)
    told.diary = []
    told.run(until: world.moment.elapsed + hour, short.happened)
    let violation = told.judge.violation ?? world.judge.violation!
    let start = beginning.trueTime - beginning.moment.elapsed
    return [violation.text] + short.happened.map { "\((start + $0.at).utcText)  \($0.kind)" }
      + ["in the end:"] + told.diary!.suffix(40)
      + ["settings at first:"] + beginning.machine.settings.inShort
      + ["settings in the end:"] + told.machine.settings.inShort
  }

  /// Leaves out half of the incidents, a quarter, and so on, down to one by one.
  func shortest(_ world: World) -> World {
    var best = world
    var size = max(1, world.happened.count / 2)
    var tries = 0
    while true {
      var start = 0
      var hasShrunk = false
      while start < best.happened.count, tries < patience {
        var kept = best.happened
        kept.removeSubrange(start..<min(start + size, kept.count))
        let shorter = World(copy: beginning)
        shorter.run(until: world.moment.elapsed + hour, kept)
        tries += 1
        if shorter.judge.violation?.property == world.judge.violation?.property {
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
