/// What the Announcer wants done, in the order given.
public enum Effect: Hashable, Sendable {
  /// Wake at this instant; replaces the wake-up that was asked for before. Always the last.
  case wake(at: Instant)
  case play(Sounding)
  /// Fade this out; its end is reported as an event.
  case stop(SoundingID, StopReason)
  case report(Report)
}

extension Effect {
  /// The same effects with the stops first, so that nothing delays the silence. This is safe,
  /// because no effects stop what they also play: everything that ends is decided before anything
  /// is given to the player, and a ring that begins takes back only rings that cannot be given at
  /// the same moment.
  static func silenceFirst(_ effects: [Effect]) -> [Effect] {
    func silences(_ effect: Effect) -> Bool { if case .stop = effect { true } else { false } }
    return effects.filter(silences) + effects.filter { !silences($0) }
  }
}
