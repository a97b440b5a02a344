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
