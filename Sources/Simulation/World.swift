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
  var tracks: [Track] = []
  var judge: Judge
  /// The service's judgement of its clock.
  var clockJudge = ClockJudge()
  /// Nil while the service does not run.
  var conductor: Conductor?
  let faces: Faces
  /// The fault that is made on purpose, if any.
  let sabotage: Sabotage?

  /// The loop is being held up.
  private(set) var isHeld = false
  /// The incidents that are still to happen, the next one last.
  private var upcoming: [Incident] = []
  /// When the next incident happens, since the history began; nil until that is reckoned.
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
    fileprivate let moment: Moment
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
    moment = Moment(elapsed: 0, shown: shown, uptime: 10 * second, sinceBoot: 10 * second)
    machine = Machine(settings: settings, zone: zone)
    self.faces = faces
    self.sabotage = sabotage
    faces.use(zone)
    judge = Judge(settings: settings, face: faces.face(zone))
    startService()
  }

  /// Goes on from a scene.
  init(_ scene: Scene, faces: Faces, sabotage: Sabotage? = nil) {
    moment = scene.moment
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
      moment: moment, machine: machine, tracks: tracks, judge: judge,
      announcer: conductor?.announcer, clockJudge: clockJudge)
  }

  var uptime: Int64 { moment.uptime }

  /// The judge reads a fact.
  func see(_ fact: Fact, _ moment: Moment? = nil) { judge.see(fact, moment ?? self.moment) }

  /// Lets time pass until `end`, since the history began, or until a property is violated.
  func run(until end: Int64, _ incidents: [Incident]) {
    upcoming = incidents.reversed()
    happened = []
    due = nil
    while moment.elapsed < end, judge.violation == nil {
      if machine.starts == nil, !machine.inbox.isEmpty {
        serve(machine.nextNote())
      } else {
        goOn(until: end)
      }
    }
  }

  private enum Act {
    case rest, happen, start, tick, judgeClock, wakeUp
  }

  /// Lets time pass until the next event, and lets that happen.
  private func goOn(until end: Int64) {
    var next = uptime + end - moment.elapsed
    var act = Act.rest
    func consider(_ at: Int64?, _ then: Act) {
      guard let at, max(at, uptime) < next else { return }
      next = max(at, uptime)
      act = then
    }
    consider(nextOutside, .happen)
    if let starts = machine.starts {
      consider(starts, .start)
    } else {
      for track in tracks { consider(track.next(moment), .tick) }
      consider(machine.judges, .judgeClock)
      consider(machine.wakeUp.map { moment.uptime(at: $0) }, .wakeUp)
    }
    flow(next - uptime)
    switch act {
    case .rest: break
    case .happen: happen()
    case .start: startService()
    case .tick: tick()
    case .judgeClock:
      machine.judges = nil
      settleClock()
    case .wakeUp:
      // Timers come late, never early.
      flow(moment.whim(900_000))
      machine.wakeUp = nil
      machine.wasSet = false
      handle(.woke)
    }
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
    if span > second {
      for index in tracks.indices {
        tracks[index].fail(Self.stoodStill, moment, lasting: 200 * millisecond)
      }
    }
    while let next = nextOutside, next <= end {
      flow(next - uptime)
      happen()
    }
    flow(end - uptime)
    if span > 250 * millisecond { see(.disturbed(.hold)) }
  }

  static let stoodStill = "the machine slept, or stood still"

  /// The judge hears what sounds by then, in order.
  func hear(through end: Int64) {
    func next(_ index: Int) -> Int64 { tracks[index].sounds.first?.at ?? .max }
    while let index = tracks.indices.min(by: { next($0) < next($1) }),
      let sound = tracks[index].nextSound(through: end)
    {
      let moment = moment.later(by: sound.at - uptime)
      diary?.write("  heard: \(tracks[index].sounding.id.number) \(sound.kind)", moment)
      see(.heard(sound.kind, tracks[index].sounding), moment)
    }
  }

  // MARK: What happens outside

  /// The uptime of the next incident.
  private var nextOutside: Int64? {
    dueIncident.map { max(uptime + $0 - moment.elapsed, uptime) }
  }

  /// When the next incident happens, since the history began.
  private var dueIncident: Int64? {
    if let due { return due }
    guard let incident = upcoming.last else { return nil }
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
    guard let incident = upcoming.popLast() else { return }
    due = nil
    happened.append(Happening(moment: moment, incident: incident))
    judge.count(incident.kind.name)
    diary?.write("\(incident.kind)", moment)
    strike(incident.kind)
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

  /// The face of a zone that was used.
  func face(_ name: String) -> WallClock { made[name]!.1 }
}
