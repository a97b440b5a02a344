/// The cues of the timers and the interval, as they come due.
extension Timers {
  /// The first cue of an interval may come this late: a device may take that long to open.
  private static let latestStart = Duration.seconds(3)

  /// The next cue of each, if it has one.
  /// - Parameters:
  ///   - rings: all that ring, or are about to.
  ///   - ringLimit: how long a timer rings.
  ///   - lead: how far ahead of now something can begin at the earliest.
  func nextCues(
    _ rings: Rings, ringLimit: Duration, lead: Duration, at now: Now
  ) -> [DueCue] {
    countdowns.compactMap { nextCue(of: $0, rings, ringLimit: ringLimit, lead: lead, at: now) }
      + [nextCueOfInterval(lead: lead, at: now)].compactMap { $0 }
  }

  private func nextCue(
    of countdown: Countdown, _ rings: Rings, ringLimit: Duration, lead: Duration, at now: Now
  ) -> DueCue? {
    let source = Cue.Source.timer(countdown.number)
    let cue: DueCue
    switch countdown.state {
    case .paused: return nil
    case .running(let zero):
      guard book.last(of: source) != zero.sinceBoot else { return nil }
      cue = .ring(source, since: zero.sinceBoot, from: zero.sinceBoot)
    case .ringing(let since):
      cue = .ring(
        source, since: since.sinceBoot,
        from: book.earliestRing(of: source, since.sinceBoot, lead, now))
      // A cue that begins when the ring ends would be heard as a click.
      guard cue.anchor < since.sinceBoot + ringLimit else { return nil }
    }
    return rings.heard(at: max(cue.anchor, now.sinceBoot)) == source ? cue : nil
  }

  /// The timers that ring, or will at zero.
  var ringing: [Ringing] {
    countdowns.compactMap { countdown in
      switch countdown.state {
      case .paused: nil
      case .running(let moment), .ringing(let moment):
        Ringing(source: .timer(countdown.number), since: moment.sinceBoot)
      }
    }
  }

  private func nextCueOfInterval(lead: Duration, at now: Now) -> DueCue? {
    guard let interval else { return nil }
    let start = interval.start.sinceBoot
    let earliest = book.earliest(of: .interval, lead, now)
    guard let cue = interval.plan.cue(atOrAfter: earliest - start) else { return nil }
    let latest = cue.offset == .zero ? Self.latestStart : DueCue.latest
    // Half-way to the next cue, it would be taken for that one.
    let gap = interval.plan.gap(after: cue.offset)
    return DueCue(
      source: .interval, signal: cue.signal, anchor: start + cue.offset,
      mayBeLateBy: min(latest, gap.map { $0 / 2 } ?? latest))
  }

  /// When something other than a cue is due next, since the machine started; nil if nothing is.
  func due(ringLimit: Duration, at now: Now) -> Duration? {
    // Words whose moment has come wait until other speech ends, which is an event.
    var moments = words.map { $0.from > now.sinceBoot ? $0.from : $0.until + .nanoseconds(1) }
    for countdown in countdowns {
      switch countdown.state {
      case .paused: break
      case .running(let zero): moments.append(zero.sinceBoot)
      case .ringing(let since): moments.append(since.sinceBoot + ringLimit)
      }
    }
    if let interval, let length = interval.plan.length, !interval.start.followsClock {
      moments.append(interval.start.sinceBoot + length)
    }
    return moments.min()
  }
}
