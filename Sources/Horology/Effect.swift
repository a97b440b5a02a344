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
  /// The same effects with the stops first, so that nothing delays the silence.
  static func silenceFirst(_ effects: [Effect]) -> [Effect] {
    func stopped(_ effect: Effect) -> SoundingID? {
      if case .stop(let sounding, _) = effect { sounding } else { nil }
    }
    guard effects.contains(where: { stopped($0) != nil }) else { return effects }
    for case .play(let sounding) in effects {
      precondition(
        !effects.contains { stopped($0) == sounding.id }, "what is stopped is not played as well")
    }
    return effects.filter { stopped($0) != nil } + effects.filter { stopped($0) == nil }
  }
}
