/// What is to be seen of how things are now.
extension Announcer {
  /// Why an occasion must not sound as things are now, or nil if it may.
  public func refusal(of occasion: Occasion) -> SkipReason? {
    if let refusal = settings.refusal(at: occasion.civil, trust: trust, ringer: ringer) {
      return refusal
    }
    return mute.silences(occasion.instant) ? .softwareMuted : nil
  }

  /// True if the switch, as it is, silences everything.
  public var isSilencedBySwitch: Bool { settings.refusal(ringer) != nil }

  /// What the journal is told of the mute as it is.
  public var reportOfMute: Report {
    guard case .until(let end) = mute else { return .mute(mute, until: nil) }
    return .mute(mute, until: zone.civil(at: end))
  }

  /// What the lamp shows.
  public var lamp: Lamp {
    if isSilencedBySwitch { return .off }
    if trust == .untrusted { return .blinking }
    return refusal(of: next) == nil ? .on : .off
  }
}

/// When it is too late for an occasion.
extension Announcer {
  /// From then on even its words would be heard too late.
  func passing(of occasion: Occasion) -> Instant {
    max(occasion.instant, occasion.instant + settings.lateLimit - lead + .nanoseconds(1))
  }

  /// No occasion after this has passed.
  func lastToPass(at now: Now) -> Instant {
    min(now.instant, now.instant - settings.lateLimit + lead - .nanoseconds(1))
  }
}

/// What goes on although the clock was set.
extension Announcer {
  /// True if a melody sounds that the player moves with the clock, and there is time to move the
  /// blow of the hour, too.
  func isFollowed(_ step: Duration, by announcement: Announcement, at now: Now) -> Bool {
    !announcement.programme.blows.isEmpty && step.magnitude <= Self.longestFollowedStep
      && now.instant - step >= announcement.begins
      && now.instant + Self.requestLead <= announcement.anchor
  }
}
