/// The state that others may read.
extension Announcer {
  public var settings: AnnouncerSettings { rules.settings }
  public var trust: ClockTrust { rules.trust }
  public var ringer: Ringer { rules.ringer }
  public var mute: SoftwareMute { rules.mute }

  /// The announcement that the player has: prepared, sounding, or being stopped.
  public var playing: Announcement? { stage.playing }

  /// The announcement that was heard at the last event; nil if there was none or it was only
  /// preparing.
  public var sounding: Announcement? { stage.isHeard(at: previous) ? stage.playing : nil }

  /// The occasion that sounds next: the prepared one, or else the first undecided one.
  public var outlook: Outlook {
    if let turn = stage.turn, sounding == nil, turn.stopped == nil,
      case .occasion(let occasion) = turn.announcement.cause
    {
      return rules.outlook(of: occasion, turn.announcement.programme, nil)
    }
    return rules.outlook(of: next)
  }

  /// The first occasion that has not been decided yet.
  public var next: Occasion { quarters.next }

  /// The latest occasion that has sounded, to be kept for the next start; nil if there was none, or
  /// the clock was wrong then.
  public var lastSounded: Instant? { quarters.sounded }

  /// The zone whose civil time is announced.
  public var zone: any Zone { quarters.schedule.zone }

  /// Why an occasion would not sound now; nil if it would.
  public func refusal(of occasion: Occasion) -> SkipReason? { rules.refusal(of: occasion) }

  /// True if the switch, as it is, silences everything.
  public var isSilencedBySwitch: Bool { rules.isSilencedBySwitch }

  /// The report of the mute as it is now.
  public var reportOfMute: Report {
    guard case .until(let end) = mute else { return .mute(mute, until: nil) }
    return .mute(mute, until: zone.civil(at: end))
  }

  /// What the lamp shows.
  public var lamp: Lamp {
    if isSilencedBySwitch { return .off }
    if trust == .untrusted { return .blinking }
    return outlook.refusal == nil ? .on : .off
  }
}

/// Announcements that go on although the clock was set.
extension Announcer {
  /// The announcement with the turn, if this event says that nothing of it was heard yet; else nil.
  func unheard(_ event: Event) -> Announcement? {
    guard case .unheard(let sounding) = event, let playing, playing.id == sounding else {
      return nil
    }
    return playing
  }

  /// True if a sounding melody can follow this step: the player moves it with the clock, and there
  /// is time to move the blow of the hour too.
  func isFollowed(_ step: Duration, by announcement: Announcement, at now: Now) -> Bool {
    // The player may see several steps as one.
    let inAll = step + (stage.turn?.followed ?? .zero)
    return !announcement.programme.blows.isEmpty
      && max(step.magnitude, inAll.magnitude) <= Self.longestFollowedStep
      && now.instant - step >= announcement.begins
      && now.instant + rules.shortestLead <= announcement.anchor
  }
}

/// Words that are still to come.
extension Announcer {
  /// True if the clock was set after the anchor of an occasion so that the words after its blows
  /// will be wrong when they come.
  func saysWrongTime(at now: Now) -> Bool {
    guard let turn = stage.turn, turn.hasReachedAnchor, case .occasion = turn.announcement.cause,
      case .at(let offset) = turn.announcement.programme.words
    else { return false }
    let begins = turn.announcement.anchor + offset + turn.shift
    return now.instant < begins
      && zone.civil(at: begins).minuteOfDay != turn.announcement.time.minuteOfDay
  }
}
