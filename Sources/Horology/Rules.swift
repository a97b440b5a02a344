/// The only place that knows whether something may sound now, how loud, and if not, why not.
public struct Rules {
  public internal(set) var settings: AnnouncerSettings
  public internal(set) var zone: any Zone
  public internal(set) var trust: ClockTrust
  public internal(set) var switchState: SwitchState
  public private(set) var mute = SoftwareMute.off
  /// When a mute for a duration ends, since the machine started. Nil if it was named by an instant
  /// of the clock, as after a start of the machine.
  public private(set) var muteEndsSinceBoot: Duration?
  /// The service is ending: no further occasion is decided, and nothing begins.
  private(set) var isEnding = false

  public init(
    _ settings: AnnouncerSettings, zone: any Zone, trust: ClockTrust,
    switchState: SwitchState = .absent
  ) {
    self.settings = settings
    self.zone = zone
    self.trust = trust
    self.switchState = switchState
  }

  // MARK: What changes by itself

  /// - Parameter endsSinceBoot: only of a mute until an instant.
  mutating func mute(_ mute: SoftwareMute, endsSinceBoot: Duration? = nil) {
    self.mute = mute
    muteEndsSinceBoot = mute.end == nil ? nil : endsSinceBoot
  }

  /// A mute for a duration ends when that is over, whatever the clock was set to.
  mutating func keepEndOfMute(at now: Now) {
    guard let muteEndsSinceBoot else { return }
    mute = .until(now.instant + (muteEndsSinceBoot - now.sinceBoot))
  }

  mutating func serviceEnds() { isEnding = true }

  // MARK: May it sound

  /// Why an occasion must not sound, or nil if it may.
  public func refusal(of occasion: Occasion) -> SkipReason? {
    let time = occasion.civil
    if settings.quiet.contains(time) { return .quietHours }
    if !settings.speaks(at: time) && settings.chime(at: time) == nil { return .nothingToSound }
    if let refusalBySwitch { return refusalBySwitch }
    if !settings.hasZone { return .noZone }
    if trust == .untrusted {
      switch settings.untrusted {
      case .silent, .ask: return .untrusted
      case .chime: if settings.chime(at: time) == nil { return .untrusted }
      case .speak: break
      }
    }
    // A chime that would begin during a mute is silenced, even if the mute ends before the hour.
    return mute.silences(occasion.instant - programme(of: occasion).lead) ? .muted : nil
  }

  /// Why a person who asks for the time gets no answer, or nil if they get one.
  /// - Parameter isGiven: true if they name the time to say; then any clock will do.
  func refusalOfRequest(isGiven: Bool) -> SkipReason? {
    if let refusalBySwitch { return refusalBySwitch }
    return isGiven || answersByClock(trust) ? nil : settings.hasZone ? .untrusted : .noZone
  }

  /// True if a request for the time is answered by a clock with this trust.
  public func answersByClock(_ trust: ClockTrust) -> Bool {
    settings.hasZone
      && (trust != .untrusted || settings.untrusted == .ask || settings.untrusted == .speak)
  }

  /// Why alarms do not go by the clock; nil if they do.
  var refusalOfAlarms: SkipReason? {
    if !settings.hasZone { return .noZone }
    return trust != .untrusted || settings.untrusted == .speak ? nil : .untrusted
  }

  var alarmsGoByClock: Bool { refusalOfAlarms == nil }

  /// Why a timer or an alarm cannot be heard, or nil if it can. Quiet hours and mutes do not apply:
  /// somebody has asked for these.
  var refusalOfTimers: SkipReason? {
    settings.silences == .announcements ? nil : refusalBySwitch
  }

  /// A lost switch silences timers and alarms, but they go on, to be heard once it can be read.
  var timersAreHeldBack: Bool { refusalOfTimers == .switchLost }

  /// True if a mute silences more than the next occasion.
  func isMuted(at now: Now) -> Bool { mute != .next && mute.silences(now.instant) }

  /// True if the switch, as it is, silences announcements.
  public var isSilencedBySwitch: Bool { refusalBySwitch != nil }

  private var refusalBySwitch: SkipReason? {
    switch switchState {
    case .absent, .on: nil
    case .off: .switchOff
    case .lost: settings.whenLost == .mute ? .switchLost : nil
    }
  }

  // MARK: What sounds, and how loud

  var schedule: Schedule { Schedule(interval: settings.interval, zone: zone) }

  func programme(of occasion: Occasion) -> Programme {
    settings.programme(at: occasion.civil, trust: trust)
  }

  /// The level of what sounds at this instant, in dB at most 0.
  func decibels(at instant: Instant) -> Double {
    settings.quieter.decibels(at: zone.civil(at: instant))
  }

  /// The same at a moment since the machine started.
  func decibels(at moment: Duration, _ now: Now) -> Double {
    decibels(at: now.instant + (moment - now.sinceBoot))
  }

  // MARK: When it is too late

  /// How much earlier than its instant everything leaves the converter.
  private var advance: Duration { max(settings.latencyOffset, .zero) }

  /// How long it takes from now until something can begin.
  var lead: Duration { max(settings.leadIn, Announcer.requestLead) + advance }

  /// As `lead`; a speaker that is awake needs no lead-in.
  func lead(speakerIsAwake: Bool) -> Duration {
    speakerIsAwake ? Announcer.requestLead + advance : lead
  }

  /// As `Announcer.preparation` and `Announcer.chimePreparation`, with the speaker's offset.
  public var preparation: Duration { Announcer.preparation + advance }
  var chimePreparation: Duration { Announcer.chimePreparation + advance }

  static let latestWords = Duration.seconds(10)

  func latestWords(of occasion: Occasion) -> Instant { occasion.instant + Self.latestWords }

  /// The first instant at which an occasion has passed: even its words would be heard too late.
  func passing(of occasion: Occasion) -> Instant {
    occasion.instant + Self.latestWords - lead + .nanoseconds(1)
  }

  /// The latest instant of an occasion that has passed by now.
  func lastToPass(at now: Now) -> Instant {
    now.instant - Self.latestWords + lead - .nanoseconds(1)
  }

  /// From when on the speaker must be free for an occasion. A melody needs all of its preparation,
  /// because it must not be late; words may be late.
  func needsSpeaker(for occasion: Occasion) -> Instant {
    let programme = programme(of: occasion)
    return occasion.instant - programme.lead
      - (programme.blows.isEmpty ? lead : preparation)
  }
}
