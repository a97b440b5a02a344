/// The timers and the interval that a person has set. Their cues sound at exact moments.
///
/// Every cue is placed by arithmetic from its timer's zero, on the clock that counts since the
/// machine started, sleep included. Neither a late wake-up nor setting the clock moves it.
public struct Timers: Hashable, Sendable {
  /// Maximum number of timers: far more than a person can follow, and a bound for memory.
  public static let most = 1000
  /// From the beginning of the first ring to its words.
  static let wordsAfterRing = Duration.seconds(2)

  /// Sorted by number.
  public private(set) var countdowns: [Countdown] = []
  /// Nil if none runs.
  public private(set) var interval: IntervalTimer?
  var book = CueBook()
  /// Words that wait for their moment.
  private(set) var words: [TimerWords] = []
  /// Why words wait although their moment has come.
  private var hindrances: [TimerWords: SkipReason] = [:]
  /// Words of the interval that were reported as not said, and why.
  private var told: Set<Unsaid> = []

  /// Numbers of the timers that ring on after the start, and were not reported yet.
  private var ringsOn: Set<Int> = []

  private struct Unsaid: Hashable {
    let phrase: TimerPhrase?
    let reason: String
  }

  public init() {}

  /// The timers as they were before the start.
  /// - Parameter isSameBoot: true if the machine has not restarted since.
  public init(
    _ countdowns: [Countdown], _ interval: IntervalTimer? = nil, isSameBoot: Bool, at now: Now
  ) {
    self.countdowns = countdowns.sorted { $0.number < $1.number }
    self.interval = interval
    ringsOn = Set(countdowns.filter(\.isRinging).map(\.number))
    change { moment in
      if isSameBoot { moment.noteClockSet(at: now) } else { moment.noteStart(at: now) }
    }
    // It runs already. The clock came back behind, so it seems to begin later.
    if !isSameBoot, let interval = self.interval, interval.start.left(at: now) > .zero {
      self.interval?.start = TimedMoment(.zero, after: now)
    }
    // The same for a timer that rings already.
    for index in self.countdowns.indices {
      if case .ringing(let since) = self.countdowns[index].state, since.left(at: now) > .zero {
        self.countdowns[index].state = .ringing(since: TimedMoment(.zero, after: now))
      }
    }
  }

  // MARK: The clocks

  /// The clock was set.
  /// - Returns: the sources that have moved with it.
  mutating func noteClockSet(at now: Now) -> Set<Cue.Source> {
    let moved = followClock
    change { $0.noteClockSet(at: now) }
    return Set(moved)
  }

  /// The clock is trusted.
  mutating func noteTrusted() { if !followClock.isEmpty { change { $0.noteTrusted() } } }

  /// The sources that move when the clock is set.
  private var followClock: [Cue.Source] {
    countdowns.filter { $0.state.moment?.followsClock == true }.map { .timer($0.number) }
      + (interval?.start.followsClock == true ? [.interval] : [])
  }

  private mutating func change(_ change: (inout TimedMoment) -> Void) {
    if interval != nil { change(&interval!.start) }
    for index in countdowns.indices { countdowns[index].state.change(change) }
  }

  // MARK: Orders

  mutating func start(
    _ length: Duration, name: String?, at now: Now
  ) throws(TimerRefusal) -> Countdown {
    guard Countdown.shortest <= length, length <= Countdown.longest else { throw .length }
    if let name {
      if let flaw = Countdown.flaw(ofName: name) { throw .name(flaw) }
      guard !countdowns.contains(where: { $0.name == name }) else { throw .nameIsTaken(name) }
    }
    guard countdowns.count < Self.most else { throw .tooMany }
    let place = countdowns.lowestFreePlace
    let countdown = Countdown(
      number: place + 1, name: name, length: length,
      state: .running(zero: TimedMoment(length, after: now)))
    countdowns.insert(countdown, at: place)
    return countdown
  }

  mutating func add(
    _ span: Duration, to which: String, at now: Now
  ) throws(TimerRefusal) -> (Countdown, [Effect]) {
    let index = try place(of: which)
    // By a clock that is behind, more than the whole length may seem to be left.
    let length = countdowns[index].length
    let left = min(countdowns[index].left(at: now), length) + span
    guard Countdown.shortest <= span, left <= Countdown.longest else { throw .length }
    let stops = recall(.timer(countdowns[index].number))
    countdowns[index].length = min(length + span, Countdown.longest)
    switch countdowns[index].state {
    case .paused: countdowns[index].state = .paused(left: left)
    case .running(let zero): countdowns[index].state = .running(zero: zero + span)
    case .ringing: countdowns[index].state = .running(zero: TimedMoment(left, after: now))
    }
    return (countdowns[index], stops)
  }

  mutating func pause(
    _ which: String, at now: Now
  ) throws(TimerRefusal) -> (Countdown, [Effect]) {
    let index = try place(of: which)
    switch countdowns[index].state {
    case .paused: throw .isPaused(countdowns[index].title)
    case .ringing: throw .isRinging(countdowns[index].title)
    case .running: break
    }
    // By a clock that is behind, more than the whole length may seem to be left.
    let left = min(countdowns[index].left(at: now), countdowns[index].length)
    countdowns[index].state = .paused(left: left)
    return (countdowns[index], recall(.timer(countdowns[index].number)))
  }

  mutating func resume(_ which: String, at now: Now) throws(TimerRefusal) -> Countdown {
    let index = try place(of: which)
    guard case .paused(let left) = countdowns[index].state else {
      throw .isNotPaused(countdowns[index].title)
    }
    countdowns[index].state = .running(zero: TimedMoment(left, after: now))
    return countdowns[index]
  }

  mutating func cancel(_ which: String) throws(TimerRefusal) -> (Countdown, [Effect]) {
    let countdown = countdowns[try place(of: which)]
    return (countdown, remove(countdown))
  }

  /// The timer with a name or number; for nil the one that ends next, or else the first.
  func find(_ which: String?, at now: Now) throws(TimerRefusal) -> Countdown {
    if let which { return countdowns[try place(of: which)] }
    let running = countdowns.filter { if case .running = $0.state { true } else { false } }
    let next = running.min { $0.left(at: now) < $1.left(at: now) }
    guard let found = next ?? countdowns.first else { throw .noTimer }
    return found
  }

  private func place(of which: String) throws(TimerRefusal) -> Int {
    guard let index = countdowns.place(of: which) else { throw .unknown(which) }
    return index
  }

  // MARK: The interval

  /// Starts an interval, if none runs.
  /// - Parameter replaces: it takes the place of one that runs.
  /// - Returns: the reports about it and about the other, and what stops the other; and whether it
  ///   is new.
  mutating func start(
    _ plan: IntervalPlan, replaces: Bool, in lead: Duration, at now: Now
  ) throws(TimerRefusal) -> (effects: [Effect], isNew: Bool) {
    if let flaw = plan.flaw { throw .interval(flaw) }
    if let interval, !replaces {
      guard interval.plan == plan else { throw .intervalRuns(interval.title) }
      return ([.report(.interval(interval, .wentOn))], false)
    }
    let ended = stopInterval(.replaced)
    let started = IntervalTimer(plan, start: TimedMoment(lead, after: now))
    interval = started
    told = []
    return (ended + [.report(.interval(started, .started))], true)
  }

  /// True if one runs, or the signal at its end still sounds.
  var hasInterval: Bool { interval != nil || book.holds(.interval) }

  /// Ends the interval that runs, or its last signal, if there is one.
  mutating func stopInterval(_ reason: StopReason) -> [Effect] {
    let stops = recall([.interval], reason)
    guard let interval else { return stops }
    self.interval = nil
    return stops + [.report(.interval(interval, .stopped(reason)))]
  }

  /// If all of its rounds are over, it is removed, and its last signal sounds on.
  /// - Parameter byAnyClock: true if a person wants another, however wrong the clock may be.
  mutating func endInterval(byAnyClock: Bool = false, at now: Now) -> [Effect] {
    guard let interval, let length = interval.plan.length else { return [] }
    let late = interval.passed(at: now) - length
    guard late >= .zero else { return [] }
    // A clock that may be wrong cannot end it, unless its last signal was given.
    let wasSignalled = book.last(of: .interval) == interval.start.sinceBoot + length
    guard !interval.start.followsClock || wasSignalled || byAnyClock else { return [] }
    self.interval = nil
    return [.report(.interval(interval, .over(late: late > Announcer.unnoticed ? late : nil)))]
  }

  // MARK: Silence

  public var isRinging: Bool { countdowns.contains(where: \.isRinging) }

  /// True if something sounds again and again until it is stopped.
  var isSounding: Bool { isRinging || hasInterval }

  /// Ends every timer that rings.
  mutating func silenceRings(_ reason: StopReason) -> [Effect] {
    let ended = countdowns.filter(\.isRinging)
    guard !ended.isEmpty else { return [] }
    countdowns.removeAll(where: \.isRinging)
    let stops = recall(Set(ended.map { .timer($0.number) }), reason)
    return stops + ended.map { .report(.timer($0, .stopped(reason))) }
  }

  mutating func remove(_ countdown: Countdown) -> [Effect] {
    countdowns.removeAll { $0.number == countdown.number }
    return recall(.timer(countdown.number))
  }

  /// Takes back the cues of this source from the player, and drops its words.
  private mutating func recall(_ source: Cue.Source) -> [Effect] { recall([source], .byHand) }

  private mutating func recall(_ sources: Set<Cue.Source>, _ reason: StopReason) -> [Effect] {
    dropWords { sources.contains($0.source) }
    return book.recall(sources, reason)
  }

  /// Takes back the cues from the player; those still to come are given again.
  /// - Parameter now: a cue that sounds by then goes on; nil to end that, too.
  mutating func recallCues(_ reason: StopReason, from now: Now? = nil) -> [Effect] {
    // The words of an interval come again with their cues.
    dropWords(of: .interval)
    return book.recallAll(reason, from: now)
  }

  // MARK: At zero

  /// The timers that have reached zero.
  func elapsed(at now: Now) -> [(Countdown, late: Duration)] {
    countdowns.compactMap { countdown in
      guard case .running(let zero) = countdown.state, zero.left(at: now) <= .zero else {
        return nil
      }
      return (countdown, .zero - zero.left(at: now))
    }
  }

  /// The timer rings from this moment on.
  mutating func ring(_ countdown: Countdown, since: TimedMoment) {
    guard let index = countdowns.firstIndex(where: { $0.number == countdown.number }) else {
      return
    }
    countdowns[index].state = .ringing(since: since)
  }

  /// True if words are still to be said.
  public var hasWords: Bool { !words.isEmpty }

  /// Ignores words that wait already: a cue that is given again brings its words again.
  mutating func plan(_ phrase: TimerWords) { if !words.contains(phrase) { words.append(phrase) } }

  /// Notes why words wait although their moment has come.
  mutating func hinder(_ words: TimerWords, _ reason: SkipReason) { hindrances[words] = reason }

  /// Why these words waited last; nil if they did not.
  func hindrance(of words: TimerWords) -> SkipReason? { hindrances[words] }

  /// True if these words of the interval were not reported yet as not said for this reason.
  mutating func isNew(_ words: TimerWords, _ reason: SkipReason) -> Bool {
    // The last phrase is the one that all of a kind share, as work in every round.
    told.insert(Unsaid(phrase: words.phrases.last, reason: reason.key)).inserted
  }

  mutating func dropWords(of source: Cue.Source) { dropWords { $0.source == source } }

  mutating func dropWords(where isMeant: (TimerWords) -> Bool) {
    words.removeAll(where: isMeant)
    for words in hindrances.keys.filter(isMeant) { hindrances[words] = nil }
  }

  /// The timers that ring on after the start, once.
  mutating func takeRingsOn() -> [Countdown] {
    guard !ringsOn.isEmpty else { return [] }
    defer { ringsOn = [] }
    return countdowns.filter { $0.isRinging && ringsOn.contains($0.number) }
  }

  /// The timers that have rung for `limit`.
  func rungOut(after limit: Duration, at now: Now) -> [Countdown] {
    countdowns.filter {
      guard case .ringing(let since) = $0.state else { return false }
      return since.left(at: now) + limit <= .zero
    }
  }
}

extension Countdown.State {
  /// When it is at zero, or began to ring; nil if it is paused.
  var moment: TimedMoment? {
    switch self {
    case .paused: nil
    case .running(let zero): zero
    case .ringing(let since): since
    }
  }

  /// Changes its moment, if it has one.
  fileprivate mutating func change(_ change: (inout TimedMoment) -> Void) {
    switch self {
    case .paused: break
    case .running(var zero):
      change(&zero)
      self = .running(zero: zero)
    case .ringing(var since):
      change(&since)
      self = .ringing(since: since)
    }
  }
}
