import Horology

/// Within 30 ms of the switch, a mute, a stop by hand or the end of the service, what they silence is
/// silent; and it stays so.
struct Silence: Property {
  /// By when each sounding that is heard must be silent.
  private var silentBy: [SoundingID: Int64] = [:]
  /// How long a contact must be open before it counts as open.
  private static let debounce = 30 * millisecond
  /// The contact is closed, and when it last changed.
  private var isClosed = false
  private var changedAt: Int64 = .never
  /// It was closed while the loop was held up.
  private var isUnread = false
  /// The service last read the switch as off.
  private var wasOff = false

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .contact(let isClosed, let isHeld):
      if isClosed != self.isClosed { changedAt = at.elapsed }
      self.isClosed = isClosed
      if isHeld { isUnread = isUnread || isClosed } else { silenceBySwitch(at, world) }
    case .held:
      if isUnread { silenceBySwitch(at, world) }
      isUnread = false
    case .read(let switchState):
      defer { wasOff = switchState == .off }
      // A switch that is read anew counts at once.
      if switchState == .on, wasOff, isClosed || at.elapsed - changedAt < Self.debounce,
        !world.happened(.service, .rules, since: at.elapsed)
      {
        return "it is unmuted within the debounce time"
      }
      if world.isSilenced { silence(at, world) { world.silences($0) } }
    case .took: if world.isSilenced { silence(at, world) { world.silences($0) } }
    case .ordered(.mute(.on)), .ordered(.mute(.until)): silence(at, world) { _ in true }
    // The interval ends only if nothing rings or is said.
    case .ordered(.stop), .ordered(.held):
      silence(at, world, begunBefore: at.elapsed - Situation.told) {
        $0.announcement != nil || $0.ring != nil
      }
    case .ordered(.pressed): silence(at, world) { $0.ring != nil }
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

  /// A contact that is closed counts at once, before the service has read it.
  private mutating func silenceBySwitch(_ at: Moment, _ world: Situation) {
    switch world.switchState {
    case .on, .off:
      guard isClosed else { return }
      silence(at, world) { !$0.isReminder || world.settings.silences == .everything }
    case .absent, .lost: break
    }
  }

  private mutating func silence(
    _ at: Moment, _ world: Situation, begunBefore latest: Int64 = .max,
    where isMeant: (Sounding) -> Bool
  ) {
    for (id, heard) in world.heard
    where silentBy[id] == nil && heard.since <= latest && isMeant(heard.sounding) {
      silentBy[id] = at.elapsed + Situation.fade
    }
  }

  private func begins(_ sounding: Sounding, _ at: Moment, _ world: Situation) -> String? {
    let earlier = at.elapsed - Situation.fade
    if world.silences(sounding), let since = world.silencedSince, since < earlier,
      !world.happened(.rules, since: earlier)
    {
      return "it begins, though the switch silences it"
    }
    guard sounding.occasion != nil || sounding.isOfItself, world.mute.since < earlier else {
      return nil
    }
    let isMuted =
      switch world.mute.state {
      case .off: false
      case .on: true
      case .until: world.mute.end.map { at.elapsed < $0 - second } ?? false
      // What was about to sound then is not the next one.
      case .next:
        sounding.occasion != nil && world.isCalm(since: world.mute.since)
          && at.elapsed > world.mute.since + 2 * minute
      }
    return isMuted ? "it begins, though muted" : nil
  }
}
