import Horology

/// Within 30 ms of the switch, a mute, a stop by hand or the end of the service, what they silence is
/// silent; and it stays so.
///
/// Rules: muted-announcements, mute-fades, switch-fades, mute-stops, switch-stops, mute-next,
/// switch-silences, switch-reminders, switch-lost, stop-fades.
struct SilenceProperty: Property {
  /// By when each sounding that is heard must be silent.
  private var silentBy: [SoundingID: Int64] = [:]

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .read, .took:
      silence(at, world) { $0.sounding.isReminder ? world.silencesReminders : world.isSilenced }
    case .ordered(.mute(.on)), .ordered(.mute(.until)): silence(at, world) { _ in true }
    // The interval ends only if nothing rings or is said.
    case .ordered(.stop) where !world.happened(.hold, since: at.elapsed - Situation.told):
      silence(at, world) {
        ($0.sounding.announcement != nil || $0.sounding.ring != nil)
          && $0.since <= at.elapsed - Situation.told
      }
    case .ordered(.pressed): silence(at, world) { $0.sounding.ring != nil }
    case .stopping: if world.settings.atStop == .fade { silence(at, world) { _ in true } }
    case .ended: silentBy = [:]
    case .heard(let kind, let sounding):
      let end = silentBy[sounding.id]
      if kind == .begins || kind == .ends { silentBy[sounding.id] = nil }
      if kind == .begins { return begins(sounding, at, world) }
      if let end, at.elapsed > end { return "it sounds on, though silenced" }
    default: break
    }
    return nil
  }

  private mutating func silence(
    _ at: Moment, _ world: Situation,
    where isMeant: ((sounding: Sounding, since: Int64)) -> Bool
  ) {
    for (id, heard) in world.heard where silentBy[id] == nil && isMeant(heard) {
      silentBy[id] = at.elapsed + Situation.fade
    }
  }

  private func begins(_ sounding: Sounding, _ at: Moment, _ world: Situation) -> String? {
    let earlier = at.elapsed - Situation.fade
    if sounding.isReminder ? world.silencesReminders : world.isSilenced,
      !world.happened(.contact, .rules, since: earlier)
    {
      return "it begins, though the switch silences it"
    }
    guard sounding.announcement?.occasion != nil || sounding.announcement?.isOfItself == true,
      !world.happened(.mute, since: earlier)
    else { return nil }
    let isMuted =
      switch world.mute.state {
      case .off: false
      case .next: sounding.announcement?.occasion != nil
      case .on: true
      case .until: world.mute.end.map { at.elapsed < $0 - second } ?? false
      }
    return isMuted ? "it begins, though muted" : nil
  }
}
