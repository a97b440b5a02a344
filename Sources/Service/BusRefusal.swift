import Horology

extension BusServer.Refusal {
  /// Refuses a request to say the time.
  /// - Parameters:
  ///   - occasion: the next one.
  ///   - instant: when the time was to be said; nil for at once.
  init(_ reason: SkipReason, near occasion: Occasion, at instant: Instant?) {
    switch reason {
    case .occasionIsNear:
      self = .refused("the announcement of \(occasion.timeOfDay) is about to be made")
    // The caller can ask again: the speaker may be free by that instant.
    case .busy where instant != nil:
      self.init(name: "org.clocksmith.Error.Busy", words: reason.description)
    default: self = .refused(reason.description)
    }
  }
}
