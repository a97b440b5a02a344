import Basics
import Horology

/// The meaning of an answer, for its delivery and for those behind it.
enum Verdict: Hashable {
  case accepted
  case refused(String)
  /// Send nothing more to the device, unless it has registered since.
  case gone(String, since: Instant)
  /// Send nothing more there until the configuration is read again.
  case noMore(String)
  /// Try again, and not before the time that the server asks for, if it does.
  case again(String, after: Duration? = nil)
  /// Every other delivery in the lane would fail now, too.
  case down(String)
}

extension Verdict {
  init(_ failure: PushResponse.Failure) {
    self = failure.isOfOneRequest ? .again(failure.words) : .down(failure.words)
  }

  /// The verdict on an answer of APNs, by Apple's `Handling notification responses from APNs`.
  /// - Parameters:
  ///   - sent: when the request was sent.
  ///   - isOurTopic: true if APNs has accepted messages for this topic.
  init(apns answer: PushResponse, sent: Instant, isOurTopic: Bool = false) {
    if let failure = answer.failure, answer.status != 200 {
      self.init(failure)
      return
    }
    // A server may answer before it has read the body, and then end the stream. So a failure with
    // status 200 goes on here: it is accepted.
    let body = try? Record(json: answer.body, path: "the answer")
    let reason = Self.reason(in: body) ?? "status \(answer.status)"
    switch (answer.status, reason) {
    case (200, _): self = .accepted
    case (410, _):
      let since = body?[Self.timestamp].map { Instant(microseconds: Int64($0) * 1000) }
      self = .gone(reason, since: since ?? sent)
    // Perhaps only the environment is wrong, which is ours to mend: the phone stays registered.
    case (400, "BadDeviceToken"):
      self = .refused("\(reason): the token is wrong, or is of the other environment")
    // The token is valid for another app: either this phone or our topic is wrong.
    case (400, "DeviceTokenNotForTopic") where isOurTopic: self = .refused(reason)
    case (400, "BadTopic"), (400, "MissingTopic"), (400, "TopicDisallowed"),
      (400, "DeviceTokenNotForTopic"), (403, _), (429, "TooManyProviderTokenUpdates"):
      self = .down("APNs refuses this clock: \(reason)")
    case (400, "IdleTimeout"), (429, _), (500..., _):
      self = .again(reason, after: answer.retryAfter)
    case (400..<500, _): self = .refused(reason)
    default: self = .down("the server answers \(reason): it is not an APNs server")
    }
  }

  /// In milliseconds since 1970, until 2200.
  private static let timestamp = Key<Int>.integer("timestamp", 0...7_258_118_400_000)

  private static func reason(in body: Record?) -> String? {
    // What is not one of Apple's words may be anything.
    body?[.text("reason", where: isWord)]
  }

  @Sendable private static func isWord(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { (65...90).contains($0) || (97...122).contains($0) }
  }
}
