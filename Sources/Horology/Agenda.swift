/// Forecasts what becomes of every occasion, without end, if the clock is trusted, nobody touches
/// the switch and nothing goes wrong. An announcement may be in the way of the next.
public struct Agenda: Sequence, IteratorProtocol {
  private let start: Instant
  private let schedule: Schedule
  private let length: (Announcement) -> Duration
  private var rules: Rules
  /// The mute, and the instant from which it counts.
  private var mute: (state: SoftwareMute, from: Instant)
  private var following: Occasion
  /// When the announcement before it is over.
  private var free: Instant

  /// - Parameters:
  ///   - mute: as it is at that instant.
  ///   - length: how long an announcement sounds, from its anchor on.
  public init(
    _ settings: AnnouncerSettings, zone: any Zone, from start: Instant,
    mute: (SoftwareMute, at: Instant), length: @escaping (Announcement) -> Duration
  ) {
    self.start = start
    self.length = length
    self.mute = (mute.0, from: mute.at)
    schedule = Schedule(interval: settings.interval, zone: zone)
    rules = Rules(settings, zone: zone, trust: .synchronised)
    // What sounds at the start depends on what sounded before, so it begins an hour before.
    free = start - .seconds(3600)
    following = schedule.next(after: free)
  }

  public mutating func next() -> Outlook? {
    while true {
      let occasion = following
      following = schedule.next(after: occasion.instant)
      let outlook = outlook(of: occasion)
      if occasion.instant >= start { return outlook }
    }
  }

  private mutating func outlook(of occasion: Occasion) -> Outlook {
    func silent(_ reason: SkipReason) -> Outlook {
      rules.outlook(of: occasion, rules.programme(of: occasion), reason)
    }
    // An occasion that is under way when it is muted was not silenced.
    rules.mute(mute.from < occasion.instant ? mute.state : .off)
    var begins = Swift.max(Quarters.due(occasion, rules), free)
    if let refusal = rules.refusal(of: occasion) {
      guard refusal == .muted, case .until(let end) = mute.state, end <= occasion.instant else {
        if refusal == .muted, mute.state == .next { mute.state = .off }
        return silent(refusal)
      }
      begins = Swift.max(begins, end)
    }
    guard begins < rules.passing(of: occasion) else { return silent(.busy) }
    let now = Now(instant: begins, uptime: Uptime(nanoseconds: 0), sinceBoot: .zero)
    guard let made = Quarters.announcement(SoundingID(0), of: occasion, rules, at: now) else {
      return silent(.tooLateForChime)
    }
    free = made.anchor + length(made)
    return rules.outlook(of: occasion, made.programme, nil)
  }
}
