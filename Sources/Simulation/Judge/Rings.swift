import Horology

/// Each timer and each alarm rings at its moment until it is stopped or has rung out, or is told with
/// a reason; and none rings that is not due, or twice for one day.
///
/// A timer is due when its time has passed, asleep or not, whatever the clock shows. An alarm is due
/// when a clock that may be believed shows its time. What was due while nothing ran rings late, if
/// that is no longer than it would have rung.
struct Rings: Property {
  private var book = ReminderBook()

  /// From one ring to the next. The second is left out: the words are said then.
  private static let gap = 6 * second
  /// Within this time of its moment, or of the last thing in its way, the fate of a reminder is known.
  private static let settled = 75 * second
  private static let exact = 2 * millisecond

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    // They come often, and beside others.
    case .judged, .saved, .heard(.blow, _), .heard(.ends, _): break
    default:
      for source in book.all.keys {
        pass(source, at, world)
        if let what = judge(source, at, world) { return what }
      }
    }
    book.take(fact, at, world)
    switch fact {
    case .told(let source, let name, let change): return told(source, name, change, at, world)
    case .heard(.begins, let played):
      if let source = played.ring { return hears(source, played, at, world) }
      if case .words(let source, _) = played.what { book.all[source]?.words = at.elapsed }
    case .unsaid(let source): book.all[source]?.words = at.elapsed
    default: break
    }
    return nil
  }

  // MARK: It is due

  private mutating func pass(_ source: Source, _ at: Moment, _ world: Situation) {
    var reminder = book.all[source]!
    if let next = reminder.next, reminder.state == .waiting, at.shown < next { return }
    switch reminder.state {
    case .running(let due):
      guard due <= at.elapsed, reminder.due == nil else { return }
      isDue(&reminder, at: due)
    case .waiting:
      guard let alarm = reminder.alarm else { return }
      guard let next = reminder.next else {
        reminder.next = alarm.dues(world.face, around: at.shown).first { $0 > at.shown } ?? .max
        break
      }
      guard next <= at.shown else { return }
      reminder.next = nil
      let date = world.face.day(next)
      if world.trust != .untrusted, reminder.due == nil, !reminder.dates.contains(date),
        reminder.toldDate != date, next > max(reminder.skipped, book.shownBefore(at))
      {
        isDue(&reminder, at: at.elapsed - (at.shown - next))
      }
    case .paused, .ringing: return
    }
    book.all[source] = reminder
  }

  private func isDue(_ reminder: inout ReminderBook.Reminder, at due: Int64) {
    reminder.due = due
    (reminder.firstRing, reminder.lastRing) = (nil, nil)
  }

  // MARK: It must ring, or be told

  private func judge(_ source: Source, _ at: Moment, _ world: Situation) -> String? {
    let reminder = book.all[source]!
    guard !reminder.isLoose else { return nil }
    if let due = reminder.due, let what = judgeFate(source, reminder, due, at, world) {
      return what
    }
    guard case .ringing(let since) = reminder.state else { return nil }
    if at.elapsed > since + world.ringLimit(at) + Self.settled, isSettled(source, at, world) {
      return "\(source) rings no more, and nobody told"
    }
    return judgeRinging(source, reminder, since, at, world)
  }

  private func judgeFate(
    _ source: Source, _ reminder: ReminderBook.Reminder, _ due: Int64, _ at: Moment,
    _ world: Situation
  ) -> String? {
    if reminder.firstRing == nil, reminder.told < due - second,
      at.elapsed > due + Self.settled, isSettled(source, at, world),
      !reminder.followsClock, reminder.alarm == nil || world.trust != .untrusted
    {
      return "\(source) was due, and is neither heard nor told"
    }
    guard (10..<70).contains((at.elapsed - due) / second),
      isAlone(source, since: due, at, world), reminder.changed < due - 12 * second,
      !reminder.followsClock
    else { return nil }
    let late = reminder.firstRing.map { $0 - due }
    return late.map { abs($0) <= Self.exact } == true
      ? nil : "\(source) rings \(late.map { "\($0) ns off its moment" } ?? "not")"
  }

  /// A ring that began at its moment goes on, and its words are said.
  private func judgeRinging(
    _ source: Source, _ reminder: ReminderBook.Reminder, _ since: Int64, _ at: Moment,
    _ world: Situation
  ) -> String? {
    guard let last = reminder.lastRing, let first = reminder.firstRing, let due = reminder.due,
      abs(first - due) <= Self.exact, isAlone(source, since: due, at, world)
    else { return nil }
    let next = last.at + max(last.length + Self.gap, world.rules.lead + 3 * second)
    if at.elapsed > next + 200 * millisecond, next < first + world.rules.ringLimit {
      return "\(source) rings no longer"
    }
    let length = last.length == 0 ? 0 : last.length + second
    let said = first + 2 * second + length + world.rules.lead + second
    let isFreeToSpeak =
      at.elapsed - world.lastAnnounced > 3 * minute
      && world.face.occasions(
        after: at.shown - minute, through: at.shown + 4 * minute, world.rules, most: 1
      ).isEmpty
    // An alarm that rings again by a clock that may be wrong says no time.
    let maySpeak = reminder.alarm == nil || world.trust != .untrusted
    return at.elapsed > said && reminder.words < first && isFreeToSpeak && maySpeak
      ? "the words of \(source) are not said" : nil
  }

  /// True if nothing has kept the service from a decision for as long as that takes.
  private func isSettled(_ source: Source, _ at: Moment, _ world: Situation) -> Bool {
    var causes: [Cause] = [.sleep, .service, .rules, .trust]
    if case .alarm = source { causes.append(.clock) }
    return world.upSince != nil && !world.isStopping
      && !world.happened(causes, since: at.elapsed - Self.settled)
  }

  /// True if nothing was in the way of its ring: no fault, no switch, no other ring.
  private func isAlone(
    _ source: Source, since due: Int64, _ at: Moment, _ world: Situation
  ) -> Bool {
    let others = book.all.filter { $0.key != source }.values
    return world.isCalm(since: due - 20 * second) && !world.silencesReminders
      && others.allSatisfy {
        !$0.isRinging && $0.turned < due - 30 * second && !isNear($0, at)
      }
      && book.gone.values.allSatisfy { $0.at < due - 30 * second }
  }

  /// True if it is about to ring: two that are near each other share a ring.
  private func isNear(_ reminder: ReminderBook.Reminder, _ at: Moment) -> Bool {
    if case .running(let due) = reminder.state { return due < at.elapsed + 2 * second }
    return reminder.state == .waiting && reminder.next.map { $0 < at.shown + 2 * second } ?? false
  }

  // MARK: It rings, or is told

  private mutating func hears(
    _ source: Source, _ played: Played, _ at: Moment, _ world: Situation
  ) -> String? {
    guard let reminder = book.all[source] else {
      let fades = book.gone[source].map { at.elapsed - $0.at <= Situation.fade } == true
      return fades ? nil : "\(source) rings, and there is none"
    }
    if case .ringing(let since) = reminder.state {
      if at.elapsed > since + world.ringLimit(at) + 15 * second, !reminder.isLoose {
        return "\(source) rings longer than ring_limit"
      }
    } else if let what = begins(source, at, world) {
      return what
    }
    let length = (played.piece.blows.last ?? 0) - (played.piece.blows.first ?? 0)
    if book.all[source]!.firstRing == nil { book.all[source]!.firstRing = at.elapsed }
    book.all[source]!.lastRing = (at.elapsed, length)
    return nil
  }

  /// It rings from now on.
  private mutating func begins(_ source: Source, _ at: Moment, _ world: Situation) -> String? {
    var reminder = book.all[source]!
    // A stop that came just before may have come too late for it; so may a step, for what is queued.
    let late = reminder.alarm == nil ? Situation.fade : 12 * second
    if at.elapsed - reminder.turned <= Situation.fade { return nil }
    if at.elapsed - reminder.changed <= late { return nil }
    defer {
      (reminder.state, reminder.turned) = (.ringing(at.elapsed), at.elapsed)
      book.all[source] = reminder
    }
    if reminder.isLoose {
      if reminder.alarm != nil { reminder.dates.insert(world.face.day(at.shown)) }
      return nil
    }
    switch reminder.state {
    case .running(let due):
      if at.elapsed < due - Situation.tolerance { return "\(source) rings too early" }
      if reminder.due == nil { isDue(&reminder, at: due) }
    case .paused: return "\(source) rings, and is paused"
    case .ringing: break
    case .waiting:
      guard let alarm = reminder.alarm else { return nil }
      let earliest = -world.ringLimit(at) - 30 * second
      let known = world.valid(at, within: minute).flatMap { _, face in
        world.readings(at).compactMap { shown -> Int64? in
          alarm.dues(face, around: shown).last { (earliest...Self.exact).contains($0 - shown) }
        }
      }
      guard let due = known.max() else { return "\(source) rings, and is not due" }
      if !reminder.dates.insert(world.face.day(due)).inserted {
        return "\(source) rings twice for one day"
      }
      if reminder.due == nil { isDue(&reminder, at: at.elapsed - (at.shown - due)) }
      reminder.next = nil
    }
    return nil
  }

  private mutating func told(
    _ source: Source, _ name: String?, _ change: Change, _ at: Moment, _ world: Situation
  ) -> String? {
    // Another may have its number already.
    guard var reminder = book.all[source], reminder.name == name else { return nil }
    switch change {
    case .other: return nil
    case .rings:
      if !reminder.isRinging, let what = begins(source, at, world) { return what }
      reminder = book.all[source]!
      // It may begin later than it was due.
      reminder.state = .ringing(at.elapsed + world.rules.lead)
    case .ringsOn:
      if !reminder.isRinging { reminder.turned = at.elapsed }
      reminder.state = .ringing(at.elapsed)
      // For how long it has rung is not known.
      reminder.due = nil
    case .snoozed:
      (reminder.state, reminder.due) = (.running(at.elapsed + ReminderBook.snooze), nil)
      reminder.turned = at.elapsed
      reminder.isLoose = false
    case .skipped where reminder.alarm?.isWeekly == true:
      // The first that is still to come: not one that has rung, or was skipped before. If the clock was
      // set back, that is not known for certain.
      let from = max(at.shown, book.shownBefore(at), reminder.skipped)
      let next = reminder.alarm!.dues(world.face, around: from).first {
        $0 > from && !reminder.dates.contains(world.face.day($0))
      }
      reminder.skipped = next ?? from
      if from <= at.shown { reminder.dates.insert(world.face.day(reminder.skipped)) }
    case .ends, .skipped:
      guard let alarm = reminder.alarm, alarm.isWeekly else {
        book.all[source] = reminder
        book.remove(source, at)
        return nil
      }
      (reminder.state, reminder.due, reminder.next) = (.waiting, nil, nil)
      let last = alarm.dues(world.face, around: at.shown).last { $0 <= at.shown }
      reminder.toldDate = last.map { world.face.day($0) }
      reminder.dates = reminder.dates.filter { $0 > world.face.day(at.shown) - 30 }
      reminder.turned = at.elapsed
      reminder.isLoose = false
    }
    reminder.told = at.elapsed
    book.all[source] = reminder
    return nil
  }
}
