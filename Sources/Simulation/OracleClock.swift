import Horology

/// How far the clock may be trusted, by all that really happened.
struct ClockReckoning {
  /// What can be known of the clock.
  struct Facts: Hashable {
    /// The kernel counts the clock as synchronised.
    let isSynchronised: Bool
    /// The clock was synchronised in this boot.
    let wasSynchronised: Bool
    let sinceBoot: Int64
    let rtc: RTC
  }

  enum RTC: Hashable {
    case none, invalid
    /// Nanoseconds of UTC since 1970.
    case shows(Int64)
  }

  /// 1 November 2026. An RTC that shows less is wrong.
  private static let release = 1_793_491_200 * second
  /// An RTC is read at least this often.
  private static let readingInterval = hour + 10 * minute

  /// Holdover ends when the clock may be off by more than this.
  private static let greatestError = 30 * second

  /// The service has seen the clock synchronised.
  private var isKnown = false
  /// When that was last so, or else when the service started, since the history began.
  private var known: Int64 = 0
  /// By how much it was set since then, or since the service started.
  private var stepped: Int64 = 0
  /// When the last RTC reading may have become outdated, since the history began.
  private var changed: Int64 = .min

  /// The clock was judged since the service last rested.
  var isJudged = false

  mutating func start(_ moment: Moment) {
    self = ClockReckoning()
    known = moment.elapsed
  }

  mutating func set(by step: Int64, _ moment: Moment) {
    stepped += step
    changed = moment.elapsed
  }

  /// The RTC has changed, or the machine slept.
  mutating func readingIsOld(_ moment: Moment) { changed = moment.elapsed }

  /// Judges how far the service trusts the clock.
  /// - Returns: what is wrong with that; nil if nothing is.
  mutating func judge(_ trust: ClockTrust, _ facts: Facts, _ moment: Moment) -> String? {
    if facts.isSynchronised {
      (isKnown, known) = (true, moment.elapsed)
      stepped = 0
      return trust == .synchronised ? nil : "the clock is synchronised, and not trusted so"
    }
    if trust == .synchronised { return "the clock is not synchronised, and trusted so" }
    let held = isHeld(facts, moment)
    let vouched = isVouchedFor(facts, moment)
    if held == true || vouched == true {
      return trust == .holdover ? nil : "the clock is good, and not trusted"
    }
    if held == false && vouched == false {
      return trust == .untrusted ? nil : "the clock is trusted for no reason"
    }
    return nil
  }

  /// True if the clock was synchronised, its steps since then add up to 2 s at most, and so does its
  /// drift of 15 ppm to 30 s; nil if that cannot be known.
  private func isHeld(_ facts: Facts, _ moment: Moment) -> Bool? {
    if abs(abs(stepped) - 2 * second) < 100 * millisecond { return nil }
    if abs(stepped) > 2 * second { return false }
    guard isKnown else { return facts.wasSynchronised ? nil : false }
    // The kernel counts the clock as synchronised for up to nine hours after its last correction.
    let error = (moment.elapsed - known) / 1_000_000 * 15
    return abs(error - Self.greatestError) < second ? nil : error < Self.greatestError
  }

  /// True if an RTC is right and the clock agrees with it; nil if the RTC may not have been read
  /// yet, or the difference is close to the limit.
  private func isVouchedFor(_ facts: Facts, _ moment: Moment) -> Bool? {
    guard facts.rtc != .none || changed > .min else { return false }
    guard moment.elapsed - max(changed, 0) > Self.readingInterval || changed == .min else {
      return nil
    }
    guard case .shows(let shown) = facts.rtc, shown >= Self.release else { return false }
    let allowed = 2 * second + facts.sinceBoot / 1_000_000 * 60
    let lead = abs(moment.shown - shown)
    guard lead < allowed + 3 * second else { return false }
    // The RTC itself is off by a second, and drifts by 5 ppm.
    let left = Self.greatestError - lead - second
    if left < -3 * second { return false }
    let drift = (moment.elapsed - known) / 1_000_000 * 5
    return lead < allowed - 3 * second && left > drift + 3 * second ? true : nil
  }
}

extension Oracle {
  /// The service has judged the clock.
  mutating func judged(_ trust: ClockTrust, _ facts: ClockReckoning.Facts, _ moment: Moment) {
    if let wrong = clock.judge(trust, facts, moment) { violated(.trust, wrong, moment) }
    clock.isJudged = true
    if trust != .untrusted || rules.untrusted == .speak {
      timers.trusted(moment, alarmsAlone: trust == .untrusted)
    }
    if passing.previous == nil { toldTrust = trust }
    guard trust != self.trust else { return }
    // A change that was not told yet, and is over, need not be told.
    _ = ledger.pay(.trust(self.trust))
    self.trust = trust
    if trust != toldTrust { ledger.owe(.trust(trust)) }
    disturbed(.trust, moment)
  }
}
