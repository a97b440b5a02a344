import Horology

/// A person's orders to timers, and what is reported of them.
extension Oracle {
  // MARK: What silences

  var areTimersSilenced: Bool { isSilencedBySwitch && rules.silences == .everything }

  /// A person gives an order.
  mutating func ordered(_ order: TimerOrder?, _ moment: Moment) {
    timers.order = order
    disturbed(.hand, moment)
    disturbed(.order, moment)
    ledger.owe(.order)
  }

  /// All rings must end, and the interval.
  mutating func silencesTimers(_ cause: Cause, _ moment: Moment, interval: Bool = true) {
    disturbed(cause, moment)
    disturbed(.order, moment)
    let end = moment.elapsed + Self.fade
    for (source, entry) in timers.entries where entry.rings != nil {
      timers.entries[source]!.isSilenced = true
      timers.mustBeSilent(source, by: end)
    }
    if interval, let running = timers.interval {
      timers.interval?.isSilenced = true
      if !running.isOver { timers.mustBeSilent(.interval, by: end) }
    }
    // Only the switch silences a ring that is about to begin.
    if cause == .lever || cause == .rules { timers.mustBeSilent(nil, by: end) }
  }

  /// The switch silences timers. Turned off, it ends rings and the interval. When it is lost,
  /// they are silent, but do not end.
  mutating func switchSilencesTimers(_ cause: Cause, _ moment: Moment) {
    guard lever.isToldLost else { return silencesTimers(cause, moment) }
    disturbed(cause, moment)
    disturbed(.order, moment)
    timers.mustBeSilent(nil, by: moment.elapsed + Self.fade)
  }

  /// A person stops what sounds: rings or words, or else the interval.
  mutating func stopsTimersByHand(_ moment: Moment) {
    let isSaid = heard != nil || isBusy
    silencesTimers(.hand, moment, interval: !timers.isRinging && !isSaid)
  }

  /// A person presses the button: it stops what rings, or else the interval.
  mutating func pressed(_ moment: Moment) {
    silencesTimers(.hand, moment, interval: !timers.isRinging)
  }

  // MARK: What is told of timers

  mutating func told(_ countdown: Countdown, _ event: TimerEvent, _ moment: Moment) {
    let source = Cue.Source.timer(countdown.number)
    switch event {
    case .started, .lengthened, .paused, .resumed, .cancelled, .told:
      if !ledger.pay(.order) || !does(source, countdown, event, moment) {
        violated(.complete, "told though it is not so: \(countdown.title) \(event)", moment)
      }
    case .ringsOn: pay(.ringsOn(source), "\(source) rings on", moment)
    case .elapsed, .silenced, .expired: reachesZero(source, event, moment)
    case .stopped, .missed, .neverHeard, .unheard:
      isEnded(source, countdown.title, event.end, moment)
    }
  }

  /// Carries out the order.
  /// - Returns: false if the report says something else.
  private mutating func does(
    _ source: Cue.Source, _ countdown: Countdown, _ event: TimerEvent, _ moment: Moment
  ) -> Bool {
    defer { disturbed(.order, moment) }
    guard let order = timers.order else { return false }
    timers.order = nil
    if case .start(let length, let name) = order {
      let span = length.nanoseconds
      guard event == .started, source == timers.number({ .timer($0) }), find(name ?? "") == nil
      else { return false }
      timers.entries[source] = TimerReckoning.Entry(
        name: name, state: .running(Reckoned(span, after: moment)), length: span,
        plannedAt: moment.elapsed)
      return true
    }
    guard var entry = timers.entries[source], order.which.map({ find($0) == source }) ?? true
    else { return false }
    if case .tell = order {} else { entry.plansWords(moment) }
    switch (order, event, entry.state) {
    case (.add(let span, _), .lengthened(let told), _):
      guard span == told else { return false }
      entry.length += span.nanoseconds
      switch entry.state {
      case .running(let zero): entry.state = .running(zero.later(by: span.nanoseconds))
      case .paused(let left): entry.state = .paused(left + span.nanoseconds)
      default:
        judgeRinging(source, moment)
        entry.state = .running(Reckoned(span.nanoseconds, after: moment))
      }
    case (.pause, .paused, .running(let zero)):
      entry.pausedSlack = zero.slack
      entry.state = .paused(min(max(-zero.passed(moment), 0), entry.length))
    case (.resume, .resumed, .paused(let left)):
      entry.state = .running(Reckoned(left, after: moment, slack: entry.pausedSlack))
      timers.entries[source] = entry
      return true
    case (.cancel, .cancelled, _):
      remove(source, moment)
      return true
    case (.tell(let which), .told(let told), _):
      let left = left(of: entry, moment)
      let isNext = which != nil || left == shortest(moment) ?? left
      return isNext && abs(told.nanoseconds - left) <= Self.tolerance + entry.slack
    default: return false
    }
    entry.words = nil
    entry.owesRing = false
    timers.entries[source] = entry
    silences(source, moment)
    return true
  }

  /// Its cues fade.
  mutating func silences(_ source: Cue.Source, _ moment: Moment) {
    _ = ledger.pay(.ringsOn(source))
    timers.mustBeSilent(source, by: moment.elapsed + Self.fade)
  }

  mutating func remove(_ source: Cue.Source, _ moment: Moment) {
    judgeRinging(source, moment)
    timers.entries[source] = nil
    disturbed(.ring, moment)
    silences(source, moment)
  }

  private func find(_ which: String) -> Cue.Source? { timers.find(which, isAlarm: false) }

  func left(of entry: TimerReckoning.Entry, _ moment: Moment) -> Int64 {
    switch entry.state {
    case .running(let zero): max(-zero.passed(moment), 0)
    case .paused(let left): left
    default: 0
    }
  }

  /// The time left of the timer that ends next; nil if none runs.
  private func shortest(_ moment: Moment) -> Int64? {
    timers.entries.values.compactMap { entry in
      if case .running = entry.state { left(of: entry, moment) } else { nil }
    }.min()
  }

  mutating func judgeRefusal(_ refusal: TimerRefusal, _ moment: Moment) {
    let order = timers.order
    timers.order = nil
    let state = order?.which.flatMap { find($0) }.flatMap { timers.entries[$0]?.state }
    let isTrue =
      switch refusal {
      case .unknown(let which): order?.which == which && state == nil
      case .nameIsTaken(let name): find(name) != nil
      case .isPaused: if case .paused = state { true } else { false }
      case .isNotPaused: if case .paused = state { false } else { state != nil }
      case .isRinging: if case .ringing = state { true } else { false }
      case .noTimer: shortest(moment) == nil
      case .noInterval: timers.interval?.isOver != false
      case .intervalRuns: timers.interval?.isOver == false
      case .speech(let reason): isTrueOfRequest(reason, moment) && mayRefuse(order)
      default: false
      }
    if !ledger.pay(.order) || !isTrue {
      violated(.complete, "a person was refused for no true reason: \(refusal)", moment)
    }
  }

  /// True if the order needs the speaker.
  private func mayRefuse(_ order: TimerOrder?) -> Bool {
    switch order {
    case .tell, .startInterval: true
    default: false
    }
  }

  private mutating func reachesZero(_ source: Cue.Source, _ event: TimerEvent, _ moment: Moment) {
    guard let entry = timers.entries[source], case .running(let zero) = entry.state else {
      return violated(.once, "\(source) is told to be at zero, and does not run", moment)
    }
    let late = zero.passed(moment)
    let allowed = Self.tolerance + zero.slack
    func isSo(_ told: Duration) -> Bool { abs(told.nanoseconds - late) <= allowed }
    // By a clock that may be wrong, no timer is over for good.
    let mayBeOver = !zero.followsClock || trust != .untrusted
    let isTrue: Bool
    switch event {
    case .elapsed(nil, _):
      isTrue = late >= -allowed && late <= 2 * second + allowed
      rings(source, since: zero, moment)
    case .elapsed(let told?, _):
      isTrue =
        isSo(told) && late >= 2 * second - allowed
        && (late <= rules.ringLimit + allowed || !mayBeOver)
      rings(source, since: Reckoned(rules.lead, after: moment), moment)
    case .expired(let told):
      isTrue = isSo(told) && late > rules.ringLimit - allowed && mayBeOver
      remove(source, moment)
    case .silenced(let reason):
      isTrue = late >= -allowed && isTrueOfSilence(reason)
      remove(source, moment)
    default: isTrue = false
    }
    if !isTrue {
      let late = Double(late) / Double(second)
      violated(.late, "\(source) is told \(event), \(late) s after its zero", moment)
    }
  }

  /// True if the switch silences rings, for this reason.
  func isTrueOfSilence(_ reason: SkipReason) -> Bool {
    guard areTimersSilenced || happened([.lever, .rules], since: ledger.rested) else {
      return false
    }
    return switch reason {
    // The service judges the clock before it takes in a change of the switch.
    case .muted: lever.told == .off || happened([.lever], since: decided.elapsed)
    case .switchLost: lever.isToldLost || happened([.lever, .rules], since: decided.elapsed)
    default: false
    }
  }

  /// It rings from now on.
  /// - Parameter offset: of its words, from its beginning.
  mutating func rings(
    _ source: Cue.Source, since: Reckoned, _ moment: Moment, words offset: Int64 = 2 * second
  ) {
    let begins = max(since.elapsed(moment) + offset, moment.elapsed + rules.lead)
    timers.entries[source]?.state = .ringing(since)
    let givesWay = givesWay(source, moment)
    timers.entries[source]?.givesWay = givesWay
    timers.entries[source]?.owesRing = !givesWay
    timers.entries[source]?.toldAt = moment.elapsed
    timers.entries[source]?.words = .init(
      from: begins, for: rules.latestWords, lead: rules.lead)
    disturbed(.ring, moment)
  }

  /// True if it begins softly while something else rings, or rang a moment ago.
  private func givesWay(_ source: Cue.Source, _ moment: Moment) -> Bool {
    let others = timers.entries.contains { $0.key != source && $0.value.rings != nil }
    let isLoud = timers.entries[source]?.alarm?.plan.rise == nil
    return !isLoud && (others || happened([.ring], since: moment.elapsed - 6 * second))
  }

  enum End {
    case stopped(StopReason)
    case missed, neverHeard, unheard
  }

  func hasRungOut(_ entry: TimerReckoning.Entry?, _ moment: Moment) -> Bool {
    guard let since = entry?.rings else { return false }
    return since.passed(moment) + Self.tolerance + since.slack >= rules.ringLimit
  }

  /// True if a ring that was to begin since this one began has sounded, as far as the service can
  /// know.
  func wasHeard(_ entry: TimerReckoning.Entry?, _ moment: Moment) -> Bool {
    guard let since = entry?.rings else { return false }
    let begun = since.elapsed(moment) + since.slack
    return !happened([.service], since: begun) && timers.rings.contains { $0.due >= begun }
  }

  /// True if some of a ring may have been heard since this one began, as far as the service can
  /// know. The speaker's failures are no excuse: the service knows of them.
  func mayHaveBeenHeard(_ entry: TimerReckoning.Entry?, _ moment: Moment) -> Bool {
    guard let since = entry?.rings else { return false }
    let begun = since.elapsed(moment) - since.slack - Self.tolerance
    if let lastBlow = timers.lastBlow, lastBlow >= begun { return true }
    // The service takes a cue for heard from its moment on, while the player has it.
    let isSounding = timers.sounding.values.contains {
      $0.source != .interval && begun...max(begun, moment.elapsed) ~= $0.due
    }
    let causes: Cause = [.sleep, .service, .lever, .rules, .order, .clock, .trust]
    return isSounding || happened(causes, since: begun - 12 * second)
      || wasHeld(300 * millisecond, since: begun - 12 * second)
  }

  /// It rings no more, or cannot be heard.
  mutating func isEnded(_ source: Cue.Source, _ title: String, _ end: End, _ moment: Moment) {
    guard let entry = timers.entries[source] else {
      return violated(.complete, "\(title) is told \(end), and is none", moment)
    }
    let isTrue: Bool
    switch end {
    case .unheard:
      if !wasHindered(around: moment.elapsed) {
        violated(.complete, "\(title) is told unheard, and the speaker was well", moment)
      }
      return
    case .missed: isTrue = hasRungOut(entry, moment) && mayHaveBeenHeard(entry, moment)
    case .neverHeard: isTrue = hasRungOut(entry, moment) && !wasHeard(entry, moment)
    case .stopped(let reason):
      isTrue = entry.rings != nil && self.isTrue(reason, since: ledger.rested)
    }
    if !isTrue { violated(.complete, "\(title) is told \(end), which is not so", moment) }
    remove(source, moment)
  }
}

extension TimerEvent {
  var end: Oracle.End {
    switch self {
    case .stopped(let reason): .stopped(reason)
    case .missed: .missed
    case .neverHeard: .neverHeard
    default: .unheard
    }
  }
}

extension TimerOrder {
  /// Which timer it is about.
  var which: String? {
    switch self {
    case .add(_, let which), .pause(let which), .resume(let which), .cancel(let which): which
    case .tell(let which): which
    default: nil
    }
  }
}
