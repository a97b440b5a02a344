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

  /// Refuses a request to say the time.
  /// - Parameters:
  ///   - occasion: the next one.
  ///   - instant: when the time was to be said; nil for at once.
  init(_ reason: SkipReason, near occasion: Occasion, at instant: Instant?) {
    switch reason {
    case .occasionIsNear:
      self = .refused("the announcement of \(occasion.timeOfDay) is about to be made")
    case .busy:
      let words = "\(reason); try again when it is over"
      // Before that instant the caller can ask again: the speaker may be free by then.
      self =
        instant == nil ? .refused(words) : .init(name: "org.clocksmith.Error.Busy", words: words)
    case _ where reason.isTooNear: self = .past(reason.description)
    default: self = .refused(reason.description)
    }
  }

  /// An argument that no state of the clock would make right is told from a conflict.
  init(_ refusal: TimerRefusal, to order: TimerOrder) {
    switch (refusal, order) {
    // How much can be added depends on how long the timer is.
    case (.length, .add): self = .refused(refusal.description)
    case (.length, _), (.name, _), (.interval, _): self = .badArgument(refusal.description)
    default: self = .refused(refusal.description)
    }
  }

  init(_ refusal: AlarmRefusal) {
    switch refusal {
    case .name, .never: self = .badArgument(refusal.description)
    case .over: self = .past(refusal.description)
    default: self = .refused(refusal.description)
    }
  }
}
