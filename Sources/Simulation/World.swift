import Devices
import Horology
import Service

/// A world in which time passes as fast as the program runs: a machine on which the Conductor and
/// its Announcer work, and the incidents that happen to it. The judge watches.
final class World {
  /// What all its clocks show.
  var moment: Moment
  var machine: Machine
  /// What the speaker plays: at most one announcement, and cues beside it.
  var playbacks: [Playback] = []
  var judge: Judge
  /// The service's judgement of its clock.
  var clockJudge = ClockJudge()
  /// Nil while the service does not run.
  var conductor: Conductor?
  let sabotage: Sabotage?

  private(set) var isHeld = false
  /// The incidents that are still to happen, the next one last.
  private var upcoming: [Incident] = []
  /// The incidents that happened in the last `run`.
  private(set) var happened: [Incident] = []
  /// What happened and what the service did. Nil where nobody reads it.
  var diary: [String]?

  init(shown: Int64, settings: AnnouncerSettings, zone: String, sabotage: Sabotage? = nil) {
    moment = Moment(elapsed: 0, shown: shown, uptime: 10 * second, sinceBoot: 10 * second)
    machine = Machine(settings: settings, zone: zone)
    self.sabotage = sabotage
    judge = Judge(world: Situation(settings: settings))
    startService()
  }

  /// A history goes on in the copy just as it would in the world.
  init(copy world: World) {
    (moment, machine, playbacks) = (world.moment, world.machine, world.playbacks)
    (judge, clockJudge, sabotage) = (world.judge, world.clockJudge, world.sabotage)
    conductor = world.conductor.map { Conductor($0.announcer) }
    conductor?.instruments = self
    use(machine.zone)
  }

  /// Makes it the zone of the process. glibc knows one at a time.
  @discardableResult
  func use(_ zone: String) -> SystemZone {
    guard let zone = try? SystemZone(name: zone) else { preconditionFailure("no zone \(zone)") }
    return zone
  }

  var uptime: Int64 { moment.uptime }

  /// What a clock that is right shows.
  var trueTime: Int64 { moment.shown - machine.clock.ahead }

  func see(_ fact: Fact, _ moment: Moment? = nil) { judge.see(fact, moment ?? self.moment) }

  func record(_ line: @autoclosure () -> String, _ moment: Moment? = nil) {
    diary?.append("\((moment ?? self.moment).shown.utcText)  \(line())")
  }

  /// Lets time pass until `end`, since the history began, or until a property is violated.
  func run(until end: Int64, _ incidents: [Incident]) {
    upcoming = incidents.reversed()
    happened = []
    while moment.elapsed < end, judge.violation == nil {
      if machine.starts == nil, !machine.inbox.isEmpty {
        serve(machine.inbox.removeFirst())
      } else {
        goOn(until: end)
      }
    }
  }

  /// Lets time pass until the next event, and lets that happen.
  private func goOn(until end: Int64) {
    var next = uptime + end - moment.elapsed
    var act: ((World) -> Void)?
    func consider(_ at: Int64?, _ then: @escaping (World) -> Void) {
      guard let at, max(at, uptime) < next else { return }
      next = max(at, uptime)
      act = then
    }
    consider(nextOutside) { $0.happen() }
    if let starts = machine.starts {
      consider(starts) { $0.startService() }
    } else {
      for playback in playbacks { consider(playback.next(moment)) { $0.tick() } }
      consider(machine.judges) { world in
        world.machine.judges = nil
        world.settleClock()
      }
      consider(machine.wakeUp.map { moment.uptime(at: $0) }) { world in
        // Timers come late, never early.
        world.flow(world.moment.whim(900_000))
        (world.machine.wakeUp, world.machine.wasSet) = (nil, false)
        world.handle(.woke)
      }
    }
    flow(next - uptime)
    act?(self)
  }

  /// Lets time pass in which nothing happens but sound.
  func flow(_ span: Int64) {
    guard span > 0 else { return }
    hear(through: uptime + span)
    moment = moment.later(by: span)
  }

  /// The loop is held up for this long; meanwhile the world goes on.
  func hold(_ span: Int64) {
    isHeld = true
    defer { isHeld = false }
    let end = uptime + span
    if span > 250 * millisecond { see(.disturbed(.hold, lasting: span)) }
    if span > second {
      for index in playbacks.indices {
        playbacks[index].fail(Self.stoodStill, moment, lasting: 200 * millisecond)
      }
    }
    while let next = nextOutside, next <= end {
      flow(next - uptime)
      happen()
    }
    flow(end - uptime)
  }

  static let stoodStill = "the machine slept, or stood still"

  /// The judge hears what sounds by then, in order.
  func hear(through end: Int64) {
    func next(_ index: Int) -> Int64 { playbacks[index].sounds.first?.at ?? .max }
    while let index = playbacks.indices.min(by: { next($0) < next($1) }),
      let sound = playbacks[index].nextSound(through: end)
    {
      let moment = moment.later(by: sound.at - uptime)
      record("  heard: \(playbacks[index].sounding.id.number) \(sound.kind)", moment)
      see(.heard(sound.kind, playbacks[index].sounding), moment)
    }
  }

  // MARK: What happens outside

  private var nextOutside: Int64? {
    upcoming.last.map { uptime + max($0.at - moment.elapsed, 0) }
  }

  private func happen() {
    guard let incident = upcoming.popLast() else { return }
    happened.append(incident)
    judge.count(incident.kind.name)
    record("\(incident.kind)")
    strike(incident.kind)
  }
}

extension Sounding {
  var inShort: String {
    switch self {
    case .announcement(let said):
      "\(said.id.number): \(blows.count) blows for \(said.occasion?.utcText ?? "\(said.cause)")"
    case .cue(let cue): "\(cue.id.number): \(cue.signal) of \(cue.source)"
    }
  }
}

extension Report {
  var inShort: String {
    switch self {
    case .reminder(let reminder, let event): "\(reminder.title): \(event)"
    case .skipped(let first, _, let why): "skipped \(first.instant.nanoseconds.utcText): \(why)"
    default: String("\(self)".prefix(100))
    }
  }
}
