/// The cues of the timers and the interval, as they come due.
extension Timers {
  /// A cue that comes later than this has lost its sense: the next is near.
  private static let latestCue = Duration.seconds(1)
  /// The first cue of an interval may come this late: a device may need so long to open.
  private static let latestStart = Duration.seconds(3)

  /// A cue that the player is to be given now.
  struct DueCue {
    let source: Cue.Source
    let signal: Signal
    /// Since the machine started.
    let anchor: Duration
    let mayBeLateBy: Duration
  }

  /// A cue that the player has ended; nil if it is none of these.
  mutating func end(_ sounding: SoundingID, with outcome: Outcome, at now: Now) -> [Effect]? {
    guard let (source, complaint) = book.end(sounding, with: outcome, at: now) else { return nil }
    guard let complaint else { return [] }
    switch source {
    case .timer(let number):
      return countdowns.filter { $0.number == number }
        .map { .report(.timer($0, .unheard(complaint))) }
    case .interval:
      return interval.map { [.report(.interval($0, .unheard(complaint)))] } ?? []
    }
  }

  /// The cues whose time to be given has come.
  /// - Parameter lead: how far ahead of now something can begin at the earliest.
  mutating func dueCues(lead: Duration, at now: Now) -> [DueCue] {
    var due: [DueCue] = []
    var rings = book.cues.values.filter { $0.signal == .ring }.map(\.anchor)
    let newest = newestRinging
    for countdown in countdowns {
      guard let cue = nextCue(of: countdown, newest, lead: lead, at: now), isDue(cue, at: now)
      else { continue }
      // A ring that begins then is heard for this timer, too.
      if rings.contains(where: { (cue.anchor - $0).magnitude < Self.sharedWithin }) {
        book.share(cue.source, at: cue.anchor)
      } else {
        rings.append(cue.anchor)
        due.append(cue)
      }
    }
    if let cue = nextCueOfInterval(lead: lead, at: now), isDue(cue, at: now) { due.append(cue) }
    return due
  }

  private func isDue(_ cue: DueCue, at now: Now) -> Bool { due(cue) <= now.sinceBoot }

  /// When the player is to be given a cue.
  private func due(_ cue: DueCue) -> Duration {
    max(cue.anchor - Announcer.preparation, book.restsUntil)
  }

  private func nextCue(
    of countdown: Countdown, _ newest: Int?, lead: Duration, at now: Now
  ) -> DueCue? {
    let source = Cue.Source.timer(countdown.number)
    let last = book.last(of: source)
    func ring(at anchor: Duration, isFirst: Bool) -> DueCue {
      DueCue(
        source: source, signal: .ring, anchor: anchor,
        mayBeLateBy: isFirst ? Self.ringPeriod : Self.latestCue)
    }
    switch countdown.state {
    case .paused: return nil
    case .running(let zero):
      return last == zero.sinceBoot ? nil : ring(at: zero.sinceBoot, isFirst: true)
    case .ringing(let since):
      // One ring at a time: the others are heard by the newest.
      guard countdown.number == newest else { return nil }
      let earliest = max(now.sinceBoot + lead, last.map { $0 + .nanoseconds(1) } ?? .zero)
      var periods = max(earliest - since.sinceBoot, .zero).periods(of: Self.ringPeriod)
      if periods == 1 { periods = 2 }
      return ring(at: since.sinceBoot + Self.ringPeriod * periods, isFirst: periods == 0)
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

  private func nextCueOfInterval(lead: Duration, at now: Now) -> DueCue? {
    guard let interval else { return nil }
    let start = interval.start.sinceBoot
    let earliest = max(
      now.sinceBoot + lead, book.last(of: .interval).map { $0 + .nanoseconds(1) } ?? .zero)
    guard let cue = interval.plan.cue(atOrAfter: earliest - start) else { return nil }
    let latest = cue.offset == .zero ? Self.latestStart : Self.latestCue
    // Half-way to the next it would be taken for that.
    let pause = interval.plan.pause(after: cue.offset)
    return DueCue(
      source: .interval, signal: cue.signal, anchor: start + cue.offset,
      mayBeLateBy: min(latest, pause.map { $0 / 2 } ?? latest))
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
      if !areSilenced, let cue = nextCue(of: countdown, newest, lead: lead, at: now) {
        moments.append(due(cue))
      }
      switch countdown.state {
      case .paused: break
      case .running(let zero): moments.append(zero.sinceBoot)
      case .ringing(let since): moments.append(since.sinceBoot + ringLimit)
      }
    }
    if let interval {
      if !areSilenced, let cue = nextCueOfInterval(lead: lead, at: now) { moments.append(due(cue)) }
      if let length = interval.plan.length { moments.append(interval.start.sinceBoot + length) }
    }
    return moments.min()
  }
}
