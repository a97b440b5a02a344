import Horology

extension BusServer.Refusal {
  /// Why the time is not said that somebody on the bus has asked for.
  /// - Parameters:
  ///   - occasion: the next one.
  ///   - instant: from which it was to be said; nil for at once.
  init(_ reason: SkipReason, near occasion: Occasion, at instant: Instant?) {
    switch reason {
    case .occasionIsNear:
      self = .refused("the announcement of \(occasion.timeOfDay) is about to be made")
    // The speaker may be free in time: a program can ask again.
    case .busy where instant != nil:
      self.init(name: "org.clocksmith.Error.Busy", words: reason.description)
    default: self = .refused(reason.description)
    }
  }
}
