import Horology

/// The timers and alarms as people, the configuration and the service's reports have left them.
struct ReminderBook {
  struct Reminder {
    var name: String?
    /// Nil for a timer.
    var alarm: OwnerRules.Alarm?
    var isConfigured = false
    var state: State
    /// When a person, the configuration, the clock or the zone last changed it.
    var changed: Int64
    /// When it last began or ended to ring.
    var turned: Int64 = .never
    /// It may be lost, or it went by a clock that was wrong: nothing is demanded of it.
    var isLoose = false
    /// The machine has started since, and its clock is not trusted yet.
    var followsClock = false
    /// The dates for which an alarm rang; the last for which it was told.
    var dates: Set<Int64> = []
    var toldDate: Int64?
    /// The last of its times that a person left out.
    var skipped: Int64 = 0
    /// What the clock shows when an alarm is due next; nil if that is to be reckoned.
    var next: Int64?
    /// When it was last due.
    var due: Int64?
    /// The last ring since it was due, and its length.
    var firstRing: Int64?
    var lastRing: (at: Int64, length: Int64)?
    /// When something was last told of it, and when words of it were said or told unsaid.
    var told: Int64 = .never
    var words: Int64 = .never

    var isRinging: Bool { if case .ringing = state { true } else { false } }

    /// The clock, the zone or the configuration has changed: an alarm is due anew, unless it was told
    /// that it rings.
    mutating func reconsider(_ at: Moment) {
      changed = at.elapsed
      if isRinging, told < turned { (state, dates) = (.waiting, []) }
      if state == .waiting { (next, due) = (nil, nil) }
    }
  }

  enum State: Hashable {
    /// An alarm waits for its time.
    case waiting
    /// A timer is at zero, or a snooze is over, this long after the history began.
    case running(Int64)
    case paused(left: Int64)
    /// Since then.
    case ringing(Int64)
  }

  static let snooze = 600 * second

  var all: [Source: Reminder] = [:]
  /// Those that are gone, and since when.
  private(set) var gone: [Source: (reminder: Reminder, at: Int64)] = [:]
  /// Those that have changed since the service last saved its state.
  private var unsaved: Set<Source> = []
  /// The latest time that the clock has shown.
  private var reached: Int64 = .never
  /// What it showed when it was last set back, and when that was. What was decided of alarms by then
  /// may still stand.
  private var setBack: (from: Int64, at: Int64) = (.never, .never)

  mutating func take(_ fact: Fact, _ at: Moment, _ world: Situation) {
    switch fact {
    case .started(let saved): start(saved, at, world.rules)
    case .saved: unsaved = []
    case .powerCame: change { $0.followsClock = true }
    case .judged(let trust, _, _, _):
      if trust != .untrusted, world.upSince != nil { change { $0.followsClock = false } }
    case .clockSet(let by): clockSet(by, at)
    case .took(let rules):
      change { if $0.alarm != nil { $0.reconsider(at) } }
      configure(rules, at)
    case .tookZone:
      // Its date may be another now, and it is done with dates of the zone before.
      change {
        guard $0.alarm != nil else { return }
        $0.reconsider(at)
        $0.isLoose = true
      }
      configure(world.rules, at)
    case .ordered(let wish, let number): order(wish, number, at)
    default: break
    }
  }

  private mutating func change(_ change: (inout Reminder) -> Void) {
    for source in all.keys { change(&all[source]!) }
  }

  private mutating func clockSet(_ by: Int64, _ at: Moment) {
    reached = max(reached, at.shown - by)
    if by < 0 {
      let isOld = at.elapsed - setBack.at > 25 * hour
      setBack = (isOld ? at.shown - by : max(setBack.from, at.shown - by), at.elapsed)
    }
    // The clock was wrong before.
    let isForgotten = at.shown < reached - 23 * hour
    if isForgotten { reached = at.shown }
    change {
      if $0.followsClock { $0.isLoose = true }
      guard $0.alarm != nil else { return }
      if isForgotten { $0.dates = [] }
      $0.reconsider(at)
    }
  }

  /// The latest that the clock has shown before it was set back lately; 0 if it was not.
  func shownBefore(_ at: Moment) -> Int64 {
    at.elapsed - setBack.at > 25 * hour ? 0 : setBack.from
  }

  // MARK: Orders

  private mutating func order(_ wish: Wish, _ number: Int?, _ at: Moment) {
    func put(_ source: Source, _ reminder: Reminder) {
      all[source] = reminder
      unsaved.insert(source)
    }
    switch wish {
    case .start(let length, let name):
      guard let number else { return }
      put(
        .timer(number),
        Reminder(name: name, state: .running(at.elapsed + length), changed: at.elapsed))
    case .setAlarm(let alarm):
      guard let number else { return }
      put(
        .alarm(number),
        Reminder(name: alarm.name, alarm: alarm, state: .waiting, changed: at.elapsed))
    case .add(let span, let which):
      changeTimer(which, at) { state in
        switch state {
        case .running(let due): .running(due + span)
        case .paused(let left): .paused(left: left + span)
        case .waiting, .ringing: .running(at.elapsed + span)
        }
      }
    case .pause(let which):
      changeTimer(which, at) { state in
        guard case .running(let due) = state else { return state }
        return .paused(left: due - at.elapsed)
      }
    case .resume(let which):
      changeTimer(which, at) { state in
        guard case .paused(let left) = state else { return state }
        return .running(at.elapsed + left)
      }
    case .cancel(let which): if let source = find(which, isAlarm: false) { remove(source, at) }
    case .cancelAlarm(let which): if let source = find(which, isAlarm: true) { remove(source, at) }
    case .tell, .skipAlarm, .snooze, .stopAlarms, .startInterval, .stopInterval: break
    }
  }

  private mutating func changeTimer(_ which: String, _ at: Moment, _ change: (State) -> State) {
    guard let source = find(which, isAlarm: false) else { return }
    // It counts anew, by the machine's own clock; but a wrong clock may have changed what was left.
    let isPaused = if case .paused = all[source]!.state { true } else { false }
    if all[source]!.followsClock, !isPaused { all[source]!.isLoose = true }
    all[source]!.state = change(all[source]!.state)
    (all[source]!.changed, all[source]!.due) = (at.elapsed, nil)
    unsaved.insert(source)
  }

  /// By its name, or else its number.
  private func find(_ which: String, isAlarm: Bool) -> Source? {
    let kind = all.filter { ($0.value.alarm != nil) == isAlarm }
    if let named = kind.first(where: { $0.value.name == which }) { return named.key }
    guard let number = Int(which) else { return nil }
    let source: Source = isAlarm ? .alarm(number) : .timer(number)
    return all[source] == nil ? nil : source
  }

  mutating func remove(_ source: Source, _ at: Moment) {
    if let reminder = all.removeValue(forKey: source) {
      gone[source] = (reminder, at.elapsed)
      unsaved.insert(source)
    }
  }

  // MARK: The configuration and the saved state

  private mutating func configure(_ rules: OwnerRules, _ at: Moment) {
    let names = Set(rules.alarms.map(\.name))
    for (source, reminder) in all where reminder.isConfigured && !names.contains(reminder.name) {
      remove(source, at)
    }
    for alarm in rules.alarms {
      if let source = all.first(where: { $0.value.isConfigured && $0.value.name == alarm.name })?
        .key
      {
        let before = all[source]!.alarm!
        all[source]!.alarm = alarm
        if before.days == alarm.days, before.minuteOfDay == alarm.minuteOfDay { continue }
        (all[source]!.next, all[source]!.due, all[source]!.dates) = (nil, nil, [])
        all[source]!.changed = at.elapsed
        if all[source]!.state != .waiting { all[source]!.isLoose = true }
        continue
      }
      // An alarm of the configuration takes its name from one that a person has set.
      if let source = find(alarm.name ?? "", isAlarm: true) { all[source]!.name = nil }
      let number = (1...).first { all[.alarm($0)] == nil }!
      all[.alarm(number)] = Reminder(
        name: alarm.name, alarm: alarm, isConfigured: true, state: .waiting, changed: at.elapsed)
      unsaved.insert(.alarm(number))
    }
  }

  private mutating func start(_ saved: [Source: String?], _ at: Moment, _ rules: OwnerRules) {
    for source in unsaved {
      if saved[source] == nil {
        all[source] = nil
      } else if all[source] != nil {
        all[source]!.isLoose = true
      } else if let gone = gone[source] {
        all[source] = gone.reminder
        all[source]!.isLoose = true
      }
    }
    configure(rules, at)
  }
}

extension OwnerRules.Alarm {
  /// What the clock shows when the alarm is due, around a moment: the time of day on its days. A time
  /// that the zone skips comes by the offset of before the gap. One that it repeats comes the first
  /// time; an alarm for the next time comes at either.
  func dues(_ face: WallClock, around shown: Int64) -> [Int64] {
    let today = face.day(shown)
    let dates: ClosedRange<Int64> =
      switch days {
      case .date(let date): date...date
      case .weekly, .next: today - 2...today + 9
      }
    return dates.flatMap { date -> [Int64] in
      // 1 January 1970 was a Thursday.
      if case .weekly(let days) = days, !days.contains(Int((date + 4) % 7)) { return [] }
      let instants = face.instants(day: date, minute: Int64(minuteOfDay))
      return days == .next ? instants : Array(instants.prefix(1))
    }.sorted()
  }
}
