/// Forecasts what becomes of every occasion if nothing goes wrong.
///
/// It asks an Announcer whose clock is trusted and whose switch nobody touches. An announcement may
/// be in the way of the next.
public struct Agenda: Sequence, IteratorProtocol {
  public struct Entry: Hashable, Sendable {
    /// What is heard; for a skipped occasion, what would have been heard.
    public let outlook: Outlook
    public let fate: Fate

    public var occasion: Occasion { outlook.occasion }
  }

  public enum Fate: Hashable, Sendable {
    case sounds(Announcement)
    case skipped(SkipReason)
  }

  private let start: Instant
  private let length: (Announcement) -> Duration
  private var announcer: Announcer
  private var now: Now
  private var wake: Instant
  /// What the player will tell of the announcement that it has, in order.
  private var coming: [(at: Instant, event: Event)] = []
  private var decided: [Entry] = []
  /// A mute, and the instant from which it counts.
  private var mute: (SoftwareMute, from: Instant)?

  /// Every occasion from `start` on, without end.
  /// - Parameters:
  ///   - mute: as it is at that instant.
  ///   - length: how long an announcement sounds, from its anchor on.
  public init(
    _ settings: AnnouncerSettings, zone: any Zone, from start: Instant,
    mute: (SoftwareMute, at: Instant)? = nil, length: @escaping (Announcement) -> Duration
  ) {
    // The mute counts from just after the last occasion. That one may be under way, and was not
    // silenced.
    let schedule = Schedule(interval: settings.interval, zone: zone)
    self.mute = mute.map { ($0, schedule.last(atOrBefore: $1).instant + .nanoseconds(1)) }
    self.start = start
    self.length = length
    // What sounds at the start depends on what sounded before, so it is computed from an hour before.
    wake = start - .seconds(3600)
    now = Now(instant: wake, uptime: Uptime(nanoseconds: 0), sinceBoot: .zero)
    // An alarm does not affect occasions: its cues sound beside them, and its words wait.
    var settings = settings
    settings.alarms = []
    announcer = Announcer(settings: settings, zone: zone, trust: .synchronised, at: now)
  }

  public mutating func next() -> Entry? {
    while true {
      let next = Swift.min(wake, coming.first?.at ?? wake, decided.first?.occasion.instant ?? wake)
      if let (mute, from) = mute, next >= from {
        self.mute = nil
        handle(.mute(mute), at: from)
        continue
      }
      if !decided.isEmpty {
        let entry = decided.removeFirst()
        if entry.occasion.instant >= start { return entry }
        continue
      }
      if let (instant, event) = coming.first, instant <= wake {
        coming.removeFirst()
        handle(event, at: instant)
      } else {
        handle(.woke, at: wake)
      }
    }
  }

  private mutating func play(_ announcement: Announcement) {
    let (id, anchor) = (announcement.id, announcement.anchor)
    if announcement.begins < anchor { coming.append((announcement.begins, .heard(id, .begun))) }
    let timing = Timing(onsetError: .zero, worstError: .zero, underruns: 0)
    coming += [
      (anchor, .heard(id, .anchor)),
      (anchor + length(announcement), .ended(id, .finished(timing))),
    ]
  }

  private mutating func handle(_ event: Event, at instant: Instant) {
    let span = Swift.max(instant - now.instant, .zero)
    now = now.later(by: span)
    var stopped: (SoundingID, StopReason)?
    for effect in announcer.handle(event, at: now).effects {
      switch effect {
      case .wake(let instant): wake = instant
      case .play(.announcement(let announcement)):
        guard case .occasion(let occasion) = announcement.cause else { continue }
        play(announcement)
        let outlook = announcer.rules.outlook(of: occasion, announcement.programme, nil)
        decided.append(Entry(outlook: outlook, fate: .sounds(announcement)))
      case .report(.skipped(let first, let last, let reason)):
        let schedule = Schedule(interval: announcer.settings.interval, zone: announcer.zone)
        for occasion in schedule.occasions(from: first.instant) {
          guard occasion.instant <= last.instant else { break }
          let rules = announcer.rules
          let outlook = rules.outlook(of: occasion, rules.programme(of: occasion), reason)
          decided.append(Entry(outlook: outlook, fate: .skipped(reason)))
        }
      case .stop(let sounding, let reason): stopped = (sounding, reason)
      case .report, .play(.cue): break
      }
    }
    // Only a mute stops something here. An announcement that has reached its anchor has sounded.
    guard let (sounding, reason) = stopped, let playing = announcer.playing else { return }
    let hasSounded = now.instant >= playing.anchor
    if !hasSounded { decided.removeAll { $0.fate == .sounds(playing) } }
    coming = []
    handle(
      .ended(sounding, .stopped(reason, silentAt: hasSounded ? now.uptime : nil)), at: now.instant)
  }
}
