/// The timers that a person has set: the claimant whose cues sound on their moment.
///
/// Every cue is placed by arithmetic from its timer's zero, by the clock that counts since the start,
/// sleep included: neither a late wake-up nor a clock that is set moves it.
public struct Timers: Hashable, Sendable {
  /// There are no more than this: far more than a person can follow, and a bound for memory.
  public static let most = 1000
  /// From one ring to the next. The second is left out: then the words are said.
  public static let ringPeriod = Duration.seconds(3)
  /// Timers that are at zero within this share their first ring.
  private static let sharedWithin = Duration.seconds(1)
  /// From the beginning of the first ring to its words.
  public static let wordsAfterRing = Duration.seconds(2)

  /// By number.
  public private(set) var countdowns: [Countdown] = []
  /// What the player has been given and has not ended.
  private(set) var cues: [SoundingID: Cue] = [:]
  /// The anchor of the last cue that the player was given, by whose it is. Timers that are at zero
  /// together share one.
  private var given: [Cue.Source: Duration] = [:]
  /// Whose cues could not be heard, which is told once.
  private var unheard: Set<Cue.Source> = []
  /// After a failure nothing is given to the player until then, since the machine started.
  private var restsUntil = Duration.zero
  /// Words that wait for their moment.
  private(set) var words: [TimerWords] = []

  public init() {}

  /// As they were before the start.
  /// - Parameter isSameBoot: the machine has not started since.
  public init(_ countdowns: [Countdown], isSameBoot: Bool, at now: Now) {
    self.countdowns = countdowns.sorted { $0.number < $1.number }
    change { moment in
      if isSameBoot { moment.noteClockSet(at: now) } else { moment.noteStart(at: now) }
    }
    // It has rung before: a clock that has come back behind says that it will.
    for index in self.countdowns.indices {
      if case .ringing(let since) = self.countdowns[index].state, since.left(at: now) > .zero {
        self.countdowns[index].state = .ringing(since: TimedMoment(.zero, after: now))
      }
    }
  }

  // MARK: The clocks

  /// The clock was set.
  /// - Returns: true if timers have moved with it.
  mutating func noteClockSet(at now: Now) -> Bool {
    let hasMoved = followsClock
    change { $0.noteClockSet(at: now) }
    return hasMoved
  }

  /// The clock is trusted.
  mutating func noteTrusted() { if followsClock { change { $0.noteTrusted() } } }

  /// True if a timer moves with a clock that is set.
  private var followsClock: Bool { countdowns.contains { $0.state.moment?.followsClock == true } }

  private mutating func change(_ change: (inout TimedMoment) -> Void) {
    for index in countdowns.indices { countdowns[index].state.change(change) }
  }

  /// Takes back what the player was given; what is still to come of it is given anew.
  /// - Parameter now: what is heard by then goes on; nil to end that, too.
  mutating func recallCues(_ reason: StopReason, from now: Now? = nil) -> [Effect] {
    given = [:]
    return takeBack(reason) { cue in now.map { cue.anchor > $0.sinceBoot } ?? true }
  }

  // MARK: Orders

  /// Does what a person wants of a timer.
  /// - Returns: the timer, as it is now.
  mutating func start(
    _ length: Duration, name: String?, at now: Now
  ) throws(TimerRefusal) -> Countdown {
    guard Countdown.shortest <= length, length <= Countdown.longest else { throw .length }
    if let name {
      if let flaw = Countdown.flaw(ofName: name) { throw .name(flaw) }
      guard !countdowns.contains(where: { $0.name == name }) else { throw .nameIsTaken(name) }
    }
    guard countdowns.count < Self.most else { throw .tooMany }
    let gap = countdowns.enumerated().first { $0.element.number != $0.offset + 1 }?.offset
    let place = gap ?? countdowns.count
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
    // By a clock that is behind, more may seem to be left than there ever was.
    let left = countdowns[index].left(at: now) + span
    let most = min(left, countdowns[index].length + span)
    guard Countdown.shortest <= span, most <= Countdown.longest else { throw .length }
    let stops = recall(.timer(countdowns[index].number))
    countdowns[index].length += span
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
    countdowns[index].state = .paused(left: countdowns[index].left(at: now))
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

  /// The timer of a name or a number; the one that ends next if that is nil.
  func find(_ which: String?, at now: Now) throws(TimerRefusal) -> Countdown {
    if let which { return countdowns[try place(of: which)] }
    let running = countdowns.filter { if case .running = $0.state { true } else { false } }
    let next = running.min { $0.left(at: now) < $1.left(at: now) }
    guard let found = next ?? countdowns.first else { throw .noTimer }
    return found
  }

  private func place(of which: String) throws(TimerRefusal) -> Int {
    let number = which.allSatisfy(\.isASCIIDigit) ? Int(which) : nil
    guard let index = countdowns.firstIndex(where: { $0.name == which || $0.number == number })
    else { throw .unknown(which) }
    return index
  }

  // MARK: Silence

  public var isRinging: Bool { countdowns.contains(where: \.isRinging) }

  /// Ends what rings.
  mutating func silence(_ reason: StopReason) -> [Effect] {
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

  /// Takes back what the player was given of this, and the words.
  private mutating func recall(_ source: Cue.Source) -> [Effect] { recall([source], .byHand) }

  private mutating func recall(_ sources: Set<Cue.Source>, _ reason: StopReason) -> [Effect] {
    unheard.subtract(sources)
    words.removeAll { sources.contains($0.source) }
    let stops = takeBack(reason) { sources.contains($0.source) }
    // Others may have shared what is taken back.
    given = stops.isEmpty ? given.filter { !sources.contains($0.key) } : [:]
    for cue in cues.values { given[cue.source] = max(cue.anchor, given[cue.source] ?? .zero) }
    return stops
  }

  /// Takes these cues back from the player. How they end says nothing any more.
  private mutating func takeBack(
    _ reason: StopReason, where isRecalled: (Cue) -> Bool
  ) -> [Effect] {
    let recalled = cues.values.filter(isRecalled).map(\.id).sorted()
    for id in recalled { cues[id] = nil }
    return recalled.map { .stop($0, reason) }
  }

  /// Forgets what is to be said of timers before they are at zero; it is planned anew.
  mutating func forgetWordsOfLeft() {
    words.removeAll(where: \.isOfLeft)
  }

  // MARK: Cues

  /// A cue that the player has ended; nil if it is none of these.
  mutating func end(_ sounding: SoundingID, with outcome: Outcome, at now: Now) -> [Effect]? {
    guard let cue = cues.removeValue(forKey: sounding) else { return nil }
    if case .failed = outcome {
      restsUntil = now.sinceBoot + Announcer.retryDelay
      // There may be time to try once more.
      if given[cue.source] == cue.anchor && now.sinceBoot < cue.anchor { given[cue.source] = nil }
    }
    guard case .timer(let number) = cue.source,
      let countdown = countdowns.first(where: { $0.number == number })
    else { return [] }
    switch outcome {
    case .finished: unheard.remove(cue.source)
    case .failed(let why, _):
      if unheard.insert(cue.source).inserted { return [.report(.timer(countdown, .unheard(why)))] }
    case .stopped, .tooLate: break
    }
    return []
  }

  /// A cue that the player is to be given now.
  struct DueCue {
    let source: Cue.Source
    let anchor: Duration
    /// The first since its timer has been at zero.
    let isFirst: Bool
  }

  /// The cues whose time to be given has come.
  /// - Parameter lead: how far ahead of now something can begin at the earliest.
  mutating func dueCues(lead: Duration, at now: Now) -> [DueCue] {
    var due: [DueCue] = []
    var rings = cues.values.map(\.anchor)
    let newest = newestRinging
    for countdown in countdowns {
      guard let (anchor, isFirst) = nextCue(of: countdown, newest, lead: lead, at: now),
        max(anchor - Announcer.preparation, restsUntil) <= now.sinceBoot
      else { continue }
      let source = Cue.Source.timer(countdown.number)
      given[source] = anchor
      // A ring that begins then is heard for this timer, too.
      if rings.contains(where: { (anchor - $0).magnitude < Self.sharedWithin }) { continue }
      rings.append(anchor)
      due.append(DueCue(source: source, anchor: anchor, isFirst: isFirst))
    }
    return due
  }

  /// The player is given this one.
  mutating func give(_ cue: Cue) {
    given[cue.source] = cue.anchor
    cues[cue.id] = cue
  }

  /// When the next cue of a timer is to sound, since the machine started.
  private func nextCue(
    of countdown: Countdown, _ newest: Int?, lead: Duration, at now: Now
  ) -> (anchor: Duration, isFirst: Bool)? {
    let last = given[.timer(countdown.number)]
    switch countdown.state {
    case .paused: return nil
    case .running(let zero):
      return last == zero.sinceBoot ? nil : (zero.sinceBoot, true)
    case .ringing(let since):
      // One ring at a time: the others are heard by the newest.
      guard countdown.number == newest else { return nil }
      let earliest = max(now.sinceBoot + lead, last.map { $0 + .nanoseconds(1) } ?? .zero)
      var periods = max(earliest - since.sinceBoot, .zero).periods(of: Self.ringPeriod)
      if periods == 1 { periods = 2 }
      return (since.sinceBoot + Self.ringPeriod * periods, periods == 0)
    }
  }

  /// The timer that reached zero last, of those that ring.
  private var newestRinging: Int? {
    var newest: (number: Int, since: Duration)?
    for countdown in countdowns {
      guard case .ringing(let since) = countdown.state else { continue }
      if since.sinceBoot >= newest?.since ?? since.sinceBoot {
        newest = (countdown.number, since.sinceBoot)
      }
    }
    return newest?.number
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

  /// It rings from this moment on.
  mutating func ring(_ countdown: Countdown, since: TimedMoment) {
    guard let index = countdowns.firstIndex(where: { $0.number == countdown.number }) else {
      return
    }
    countdowns[index].state = .ringing(since: since)
  }

  mutating func say(_ phrase: TimerWords) { words.append(phrase) }

  mutating func dropWords(_ phrase: TimerWords) { words.removeAll { $0 == phrase } }

  /// The timers that have rung for so long.
  func rungOut(after limit: Duration, at now: Now) -> [Countdown] {
    countdowns.filter {
      guard case .ringing(let since) = $0.state else { return false }
      return since.left(at: now) + limit <= .zero
    }
  }

  /// When something is to be done next, since the machine started; nil if nothing is.
  /// - Parameter areSilenced: no cue is given to the player.
  func due(
    ringLimit: Duration, lead: Duration, areSilenced: Bool, at now: Now
  ) -> Duration? {
    let newest = newestRinging
    // Words whose moment has come wait for what else is said to end, which is an event.
    var moments = words.map { $0.from > now.sinceBoot ? $0.from : $0.until + .nanoseconds(1) }
    for countdown in countdowns {
      if !areSilenced, let (anchor, _) = nextCue(of: countdown, newest, lead: lead, at: now) {
        moments.append(max(anchor - Announcer.preparation, restsUntil))
      }
      switch countdown.state {
      case .paused: break
      case .running(let zero): moments.append(zero.sinceBoot)
      case .ringing(let since): moments.append(since.sinceBoot + ringLimit)
      }
    }
    return moments.min()
  }
}

extension Countdown.State {
  /// When it is at zero, or was; nil if it is paused.
  fileprivate var moment: TimedMoment? {
    switch self {
    case .paused: nil
    case .running(let zero): zero
    case .ringing(let since): since
    }
  }

  /// Changes the moment that it is about, if it is about one.
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

extension Duration {
  /// How many periods it takes to fill this, the last perhaps not whole.
  fileprivate func periods(of period: Duration) -> Int {
    Int((nanoseconds + period.nanoseconds - 1) / period.nanoseconds)
  }
}
