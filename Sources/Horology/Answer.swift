public enum Answer: Hashable, Sendable {
  case done
  case announcement(Announcement)
  /// The number of the timer that was started, or of the alarm that was set or skipped.
  case number(Int)
  /// The interval runs; `isNew` is true if the order started it.
  case interval(isNew: Bool)
  case refused(Refusal)
}

public enum Refusal: Hashable, Sendable {
  case request(SkipReason)
  case order(OrderRefusal)
}

extension Refusal: CustomStringConvertible {
  /// One sentence, for a terminal.
  public var description: String { RefusalKey.sentence(flaw, key: key, for: .terminal) }

  /// What is wrong, without what to do about it.
  public var flaw: String {
    switch self {
    case .request(let reason): reason.flaw
    case .order(let refusal): refusal.flaw
    }
  }

  public var key: String {
    switch self {
    case .request(let reason): reason.key
    case .order(let refusal): refusal.key
    }
  }
}

extension Announcer {
  /// What is to be done, and the answer to whoever gave the order; nil if nobody did.
  public typealias Response = (effects: [Effect], answer: Answer?)

  /// The response to an order that is refused.
  static func refuse(_ refusal: Refusal) -> Response {
    ([.report(.refused(refusal))], .refused(refusal))
  }
}
