import Horology

/// Within 30 ms of the switch, a mute, a stop by hand or the end of the service, what they silence is
/// silent; and it stays so.
struct Silence: Property {
  /// By when each sounding that is heard must be silent.
  private var silentBy: [Int: Int64] = [:]
  /// How long a contact must be open before it counts as open.
  private static let debounce = 50 * millisecond
  /// The contact closed, and since when; when it opened.
  private var isClosed = false
  private var changedAt: Int64 = .never
  /// It was closed while the loop was held up.
  private var isUnread = false
  private var mute = Mute()

  /// A mute that a person has set.
  private struct Mute {
    var state = SoftwareMute.off
    var since: Int64 = .never
    /// When one for a duration ends. Nil where that is not known: the power was cut.
    var end: Int64?
  }

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .contact(let isClosed, let isHeld):
      if isClosed != self.isClosed { changedAt = at.elapsed }
      self.isClosed = isClosed
      guard isClosed, world.ringer != .absent, !isLost(world) else { return nil }
      if isHeld { isUnread = true } else { silence(at, world, where: isRuled(world)) }
    case .held:
      if isUnread, isClosed, !isLost(world) { silence(at, world, where: isRuled(world)) }
      isUnread = false
    case .read(.on) where isClosed || at.elapsed - changedAt < Self.debounce:
      // A switch that is read anew counts at once.
      if wasOff, !world.happened([.service, .rules], since: at.elapsed) {
        return "it is unmuted within the debounce time"
      }
    case .read, .took: if world.isSilenced { silence(at, world, where: isRuled(world)) }
    case .muted(let state):
      mute = Mute(state: state, since: at.elapsed)
      if case .until(let end) = state { mute.end = at.elapsed + end.nanoseconds - at.shown }
      if state != .off, state != .next { silence(at, world) { _ in true } }
    case .skipped(_, _, .muted): if mute.state == .next { mute.state = .off }
    case .ended(let isKilled):
      silentBy = [:]
      // It may not have been saved.
      if isKilled { mute.state = .off }
    case .powerCame: mute.end = nil
    case .stoppedByHand:
      // The interval ends only if nothing rings or is said.
      silence(at, world) { $0.isAnnouncement || $0.ring != nil }
    case .pressed: silence(at, world) { $0.ring != nil }
    case .stopping: if world.rules.atStop == .fade { silence(at, world) { _ in true } }
    case .heard(let kind, let played): return hears(kind, played, at, world)
    default: break
    }
    if case .read(let ringer) = fact { wasOff = ringer == .off }
    return nil
  }

  /// The service read the switch as off.
  private var wasOff = false

  private func isLost(_ world: Situation) -> Bool {
    if case .lost = world.ringer { true } else { false }
  }

  private func isRuled(_ world: Situation) -> (Played) -> Bool {
    { !$0.isReminder || world.rules.silences == .everything }
  }

  private mutating func silence(
    _ at: Moment, _ world: Situation, where isMeant: (Played) -> Bool
  ) {
    for (id, heard) in world.heard where isMeant(heard.played) && silentBy[id] == nil {
      silentBy[id] = at.elapsed + Situation.fade
    }
  }

  private mutating func hears(
    _ kind: Sound.Kind, _ played: Played, _ at: Moment, _ world: Situation
  ) -> String? {
    if kind == .begins { silentBy[played.id] = nil }
    if let end = silentBy[played.id], at.elapsed > end { return "it sounds on, though silenced" }
    if kind == .ends { silentBy[played.id] = nil }
    guard kind == .begins else { return nil }
    let fade = Situation.fade
    if world.silences(played), let since = world.silencedSince,
      at.elapsed > max(since, world.tookAt) + fade
    {
      return "it begins, though the switch silences it"
    }
    guard played.occasion != nil else { return nil }
    let isMuted =
      switch mute.state {
      case .off: false
      case .on: true
      case .until: mute.end.map { at.elapsed < $0 - second } ?? false
      // What was about to sound then is not the next one.
      case .next: world.isCalm(since: mute.since) && at.elapsed > mute.since + 2 * minute
      }
    return isMuted && at.elapsed > mute.since + fade ? "it begins, though muted" : nil
  }
}
