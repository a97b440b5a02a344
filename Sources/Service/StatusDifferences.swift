import Horology

/// What shows that the service has another configuration than the one that was read here. The bus
/// does not tell which files the service has read, or when.
extension Status {
  /// True if the next occasion shows that the service has other settings than the rules. False does
  /// not prove that they are the same.
  /// - Parameter rules: with a trusted clock, without a switch and without a mute.
  public func hasOtherSettings(than rules: Rules, in zone: any Zone) -> Bool {
    // Without words for it, the service does not tell its next occasion.
    guard !next.local.isEmpty else { return false }
    let schedule = Schedule(interval: rules.settings.interval, zone: zone)
    let occasion = schedule.next(after: next.instant - .nanoseconds(1))
    guard occasion.instant == next.instant else { return true }
    let outlook = rules.outlook(of: occasion)
    // Only these two reasons come from the configuration alone.
    let settled = [SkipReason.quietHours.key, SkipReason.nothingToSound.key]
    let told = next.refusal.flatMap { settled.contains($0.key) ? $0.key : nil }
    if told != outlook.refusal?.key { return true }
    // A missing chime shows nothing: there may be no time left for it.
    return next.chime != "none" && next.chime != outlook.tune?.name
  }
}
