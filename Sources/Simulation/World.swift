import Devices
import Horology
import Service

/// A world in which time passes as fast as the program runs: a machine on which the Conductor and
/// its Announcer work, and the incidents that happen to it. The judge watches.
final class World {
  var machine: Machine
  /// What the speaker plays: at most one announcement, and cues beside it.
  var tracks: [Track] = []
  var judge: Judge
  /// The service's judgement of its clock.
  var clockJudge = ClockJudge()
  /// Nil while the service does not run.
  var conductor: Conductor?
  let faces: Faces
  /// The fault that is made on purpose, if any.
  var sabotage: Sabotage?
  /// The last cue of each source, and the first of the interval, for faults made on purpose.
  var lastCue: [Cue.Source: Duration] = [:]
  var firstCue: Duration?
  /// The uptime at which a mute counts that is made to wait.
  var lateMute: Int64?

  /// The loop is being held up.
  private(set) var isHeld = false
  /// The incidents that are still to happen, the next one last.
  private(set) var upcoming: [Incident] = []
  /// When the next incident happens, since the history began.
  private var due: Int64?
  /// The incidents since the last scene.
  private(set) var happened: [Happening] = []
  /// Nil where nobody reads it.
  var diary: Diary?

  struct Happening {
    let moment: Moment
    let incident: Incident
  }

  /// The whole state at a moment. From it, a history can go on just as it went on.
  struct Scene {
    fileprivate let machine: Machine
    fileprivate let tracks: [Track]
    fileprivate let judge: Judge
    fileprivate let announcer: Announcer?
    fileprivate let clockJudge: ClockJudge

    var settings: AnnouncerSettings { machine.settings }
  }

  init(
    shown: Int64, settings: AnnouncerSettings, zone: String, faces: Faces, sabotage: Sabotage? = nil
  ) {
    machine = Machine(shown: shown, settings: settings, zone: zone)
    self.faces = faces
    self.sabotage = sabotage
    faces.use(zone)
    judge = Judge(settings: settings, face: faces.face(zone))
    startService()
  }

  /// Goes on from a scene.
  init(_ scene: Scene, faces: Faces, sabotage: Sabotage? = nil) {
    machine = scene.machine
    tracks = scene.tracks
    clockJudge = scene.clockJudge
    judge = scene.judge
    self.faces = faces
    self.sabotage = sabotage
    faces.use(machine.zone)
    conductor = scene.announcer.map { Conductor($0) }
    conductor?.instruments = self
  }

  var scene: Scene {
    Scene(
      machine: machine, tracks: tracks, judge: judge, announcer: conductor?.announcer,
      clockJudge: clockJudge)
  }

  /// The judge reads a fact.
  func see(_ fact: Fact, _ moment: Moment? = nil) { judge.see(fact, moment ?? machine.moment) }

  /// Lets time pass until `end`, since the history began, or until a property is violated.
  func run(until end: Int64, _ incidents: [Incident]) {
    upcoming = incidents.reversed()
    happened = []
    due = nil
    while machine.moment.elapsed < end, judge.violation == nil {
      if machine.starts == nil, !machine.inbox.isEmpty {
        serve(machine.takeNote())
      } else {
        goOn(until: end)
      }
    }
  }

  private enum Act {
    case rest, happen, start, tick, readContact, look, wakeUp
  }

  /// Lets time pass until the next event, and lets that happen.
  private func goOn(until end: Int64) {
    var next = machine.uptime + end - machine.moment.elapsed
    var act = Act.rest
    func consider(_ uptime: Int64?, _ then: Act) {
      guard let uptime, max(uptime, machine.uptime) < next else { return }
      next = max(uptime, machine.uptime)
      act = then
    }
    consider(nextOutside, .happen)
    if let starts = machine.starts {
      consider(starts, .start)
    } else {
      for track in tracks { consider(track.next(machine.moment), .tick) }
      consider(machine.contact?.settlesAt?.nanoseconds, .readContact)
      consider(lateMute, .readContact)
      consider(machine.pulse, .look)
      if let wakeUp = machine.wakeUp, !machine.isWakeUpLost {
        consider(machine.moment.uptime(at: wakeUp), .wakeUp)
      }
    }
    flow(next - machine.uptime)
    switch act {
    case .rest: break
    case .happen: happen()
    case .start: startService()
    case .tick: tick()
    case .readContact: readContact()
    case .look: checkVitals()
    case .wakeUp: wakeUpComes()
    }
  }

  private func wakeUpComes() {
    // Timers come late, never early.
    flow(machine.whim(900_000))
    machine.wakeUp = nil
    machine.wasSet = false
    handle(.woke)
  }

  /// Lets time pass in which nothing happens but sound.
  func flow(_ span: Int64) {
    guard span > 0 else { return }
    let end = machine.uptime + span
    takeSounds(through: end)
    machine.pass(span)
  }

  /// The loop is held up for this long; meanwhile the world goes on.
  func hold(_ span: Int64) {
    isHeld = true
    defer { isHeld = false }
    let end = machine.uptime + span
    let isTorn = span > second
    let torn = isTorn ? tracks.indices : 0..<0
    for index in torn {
      tracks[index].fail(Self.stoodStill, machine.moment, lasting: 200 * millisecond)
    }
    while let next = nextOutside, next <= end {
      flow(next - machine.uptime)
      happen()
    }
    flow(end - machine.uptime)
    for index in torn { tracks[index].putOffVerdict(to: machine.uptime) }
    see(.held(span))
  }

  static let stoodStill = "the machine slept, or stood still"

  // MARK: What happens outside

  /// The uptime of the next event that does not come from the service.
  private var nextOutside: Int64? {
    let edge = [machine.edges.first?.uptime, machine.slewEnds].compactMap { $0 }.min()
    guard let incident = dueIncident else { return edge }
    let uptime = max(machine.uptime + incident - machine.moment.elapsed, machine.uptime)
    return edge.map { min($0, uptime) } ?? uptime
  }

  /// When the next incident happens, since the history began.
  private var dueIncident: Int64? {
    if let due { return due }
    guard let incident = upcoming.last else { return nil }
    let moment = machine.moment
    switch incident.time {
    case .at(let at): due = at
    case .after(let gap): due = moment.elapsed + gap
    case .nearQuarter(let at, let offset):
      let earliest = moment.later(by: max(at - moment.elapsed, 0))
      let quarter = 15 * minute
      let number = (earliest.shown - offset + quarter - 1) / quarter
      due = earliest.elapsed + number * quarter + offset - earliest.shown
    }
    return due
  }

  private func happen() {
    if let edge = machine.edges.first, edge.uptime <= machine.uptime {
      machine.edges.removeFirst()
      machine.isActive = edge.isActive
      let moment = machine.moment.later(by: edge.uptime - machine.uptime)
      see(.contact(isClosed: edge.isActive, isHeld: isHeld), moment)
      guard !machine.isSwitchLost else { return }
      machine.unread.append(edge)
      machine.inbox.append(.edges)
    } else if let ends = machine.slewEnds, ends <= machine.uptime {
      atAnotherPace { $0.endSlew() }
      see(.disturbed(.speaker, lasting: 10 * second))
    } else if let incident = upcoming.popLast() {
      due = nil
      happened.append(Happening(moment: machine.moment, incident: incident))
      judge.count(incident.kind.name)
      diary?.write("\(incident.kind)", machine.moment)
      strike(incident.kind)
    }
  }
}

/// The faces of zones, each made once; and the one zone that the process uses.
final class Faces {
  private var made: [String: (SystemZone, WallClock)] = [:]
  private var current = ""
  private let seconds: Range<Int64>

  init(over seconds: Range<Int64>) {
    self.seconds = seconds
  }

  /// Makes it the zone of the process.
  @discardableResult
  func use(_ name: String) -> SystemZone {
    if name == current, let (zone, _) = made[name] { return zone }
    current = name
    // The name was used before, or comes from the tz database.
    guard let zone = try? SystemZone(name: name) else { fatalError("no zone \(name)") }
    if made[name] == nil { made[name] = (zone, WallClock(over: seconds)) }
    return zone
  }

  func face(_ name: String) -> WallClock {
    if let (_, face) = made[name] { return face }
    let before = current
    use(name)
    if !before.isEmpty { use(before) }
    return made[name]!.1
  }
}
