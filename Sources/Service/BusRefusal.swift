import Horology

extension BusServer.Refusal {
  /// Refuses an instant at which nothing can be said; nil if it can.
  init?(of instant: Instant, at now: Instant) {
    let allowed = "allowed are instants of UTC within the next \(Announcer.preparation.inWords)"
    if instant <= now {
      self = .past(allowed)
    } else if instant > now + Announcer.preparation {
      self = .badArgument(allowed)
    } else {
      return nil
    }
  }

  /// - Parameter occasion: the next one.
  init(_ refusal: Horology.Refusal, of order: Event, near occasion: Occasion) {
    let words = refusal.description
    // An argument that no state of the clock would make right is told from a conflict.
    switch (refusal, order) {
    case (.request(.occasionIsNear), _):
      self = .refused("the announcement of \(occasion.timeOfDay) is about to be made")
    case (.request(.busy), .asked(_, let instant, _)):
      let advice = "\(words); try again when it is over"
      // Before that instant the caller can ask again: the speaker may be free by then.
      self =
        instant == nil
        ? .refused(advice) : .init(name: "org.clocksmith.Error.Busy", words: advice)
    case (.request(.tooNear), _), (.alarm(.over), _): self = .past(words)
    // How much can be added depends on how long the timer is.
    case (.timer(.length), .timer(.add)): self = .refused(words)
    case (.timer(.length), _), (.timer(.name), _), (.timer(.interval), _), (.alarm(.name), _),
      (.alarm(.never), _):
      self = .badArgument(words)
    default: self = .refused(words)
    }
  }
}
