import Basics
import Horology

/// A timer as it is saved for the next start.
extension Countdown {
  var saved: JSONLine {
    let line = JSONLine()
    line.set("number", number)
    if let name { line.set("name", name) }
    line.set("length_usec", length.wholeMicroseconds)
    switch state {
    case .running(let zero): line.set("zero", zero)
    case .paused(let left): line.set("left_usec", left.wholeMicroseconds)
    case .ringing(let since): line.set("ringing", since)
    }
    return line
  }

  /// - Throws: `Fault` for timers that could not have been saved.
  static func all(in objects: [JSONObject], path: String) throws(Fault) -> [Countdown] {
    var countdowns: [Countdown] = []
    for object in objects { countdowns.append(try Countdown(object)) }
    let names = countdowns.compactMap(\.name)
    guard countdowns.count <= Timers.most, Set(countdowns.map(\.number)).count == countdowns.count,
      Set(names).count == names.count
    else { throw Fault(path, "it has too many timers, or two of one name or number") }
    return countdowns
  }

  private init(_ object: JSONObject) throws(Fault) {
    let path = object.path
    guard let number = try object.integer("number"), (1...Int64(Timers.most)).contains(number),
      let length = try object.microseconds("length_usec"), length > 0
    else { throw Fault(path, "a timer in it lacks its number or its length") }
    // Keep the timer without a name that an earlier version allowed and this one does not.
    let name = try object.text("name").flatMap { Countdown.flaw(ofName: $0) == nil ? $0 : nil }
    let left = try object.microseconds("left_usec")
    let state: State
    switch (try object.moment("zero"), left, try object.moment("ringing")) {
    case (let zero?, nil, nil): state = .running(zero: zero)
    case (nil, let left?, nil): state = .paused(left: .microseconds(left))
    case (nil, nil, let since?): state = .ringing(since: since)
    default: throw Fault(path, "timer \(number) in it does not run, pause or ring")
    }
    self.init(
      number: Int(number), name: name, length: .microseconds(length), state: state)
  }
}

/// An interval as it is saved for the next start.
extension IntervalTimer {
  var saved: JSONLine {
    let line = JSONLine()
    line.set("start", start)
    switch plan {
    case .plain(let period): line.set("every_usec", period.wholeMicroseconds)
    case .rounds(let rounds):
      line.set("work_usec", rounds.work.wholeMicroseconds)
      line.set("rest_usec", rounds.rest.wholeMicroseconds)
      line.set("prepare_usec", rounds.prepare.wholeMicroseconds)
      if let count = rounds.count { line.set("rounds", count) }
      line.set("countdown", rounds.countdown)
      if rounds.saysWords { line.set("words", true) }
    }
    return line
  }

  /// Nil if there is none.
  /// - Throws: `Fault` for one that could not have been saved.
  init?(in objects: [JSONObject], path: String) throws(Fault) {
    guard let object = objects.first else { return nil }
    guard objects.count == 1, let start = try object.moment("start") else {
      throw Fault(path, "it has more than one interval, or one without its start")
    }
    func span(_ key: String) throws(Fault) -> Duration {
      .microseconds(try object.microseconds(key) ?? 0)
    }
    let plan: IntervalPlan
    if let period = try object.microseconds("every_usec") {
      plan = .plain(every: .microseconds(period))
    } else {
      plan = .rounds(
        IntervalRounds(
          work: try span("work_usec"), rest: try span("rest_usec"),
          count: try object.integer("rounds").map { Int($0) }, prepare: try span("prepare_usec"),
          countdown: Int(try object.integer("countdown") ?? 0),
          saysWords: try object.flag("words") ?? false))
    }
    if let flaw = plan.flaw { throw Fault(path, "its interval cannot be: \(flaw)") }
    self.init(plan, start: start)
  }
}

extension JSONLine {
  func set(_ key: String, _ moment: TimedMoment) {
    set("\(key)_usec", moment.shown.savedMicroseconds)
    set("\(key)_boot_usec", moment.sinceBoot.wholeMicroseconds)
    if moment.followsClock { set("follows_clock", true) }
  }
}

extension JSONObject {
  func moment(_ key: String) throws(Fault) -> TimedMoment? {
    let shown = try microseconds("\(key)_usec")
    // Negative if the moment was before this boot.
    let sinceBoot = try integer("\(key)_boot_usec")
    if let sinceBoot, sinceBoot.magnitude > SavedState.times.upperBound.magnitude {
      throw Fault(path, "\(key)_boot_usec \(sinceBoot) is no time near this start of the machine")
    }
    guard shown != nil || sinceBoot != nil else { return nil }
    guard let shown, let sinceBoot else {
      throw Fault(
        path, "it lacks \(key)_usec or \(key)_boot_usec of a timer, an interval or an alarm")
    }
    return TimedMoment(
      sinceBoot: .microseconds(sinceBoot), shown: Instant(nanoseconds: shown * 1000),
      followsClock: try flag("follows_clock") ?? false)
  }
}

extension Instant {
  /// Since 1970, clamped: a clock that is far off must not make a file that is refused later.
  var savedMicroseconds: Int {
    let times = SavedState.times
    return Int(min(max(nanoseconds / 1000, times.lowerBound), times.upperBound))
  }
}

extension Duration {
  fileprivate var wholeMicroseconds: Int { Int(nanoseconds / 1000) }
}
