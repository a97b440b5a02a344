import Basics
import Horology

/// A service that takes messages: where to post them and in which form, and what it means by its
/// answers.
protocol Provider {
  /// As the register and the journal name it, as in `ntfy phone`.
  var name: String { get }
  /// Of the devices that it serves; nil for an entry of the configuration, itself one receiver.
  var environment: Device.Environment? { get }
  var events: PushEvents { get }
  var settings: TransferSettings { get }

  /// - Parameter token: of the device; empty for an entry.
  /// - Throws: `Fault` if the message cannot be put in a form that the service takes.
  func request(_ delivery: Delivery, to token: String, at now: Instant) throws(Fault) -> PushRequest

  func verdict(on answer: PushResponse) -> Verdict
}

/// The meaning of an answer.
enum Verdict: Hashable {
  case accepted
  case refused(String)
  /// Send nothing more to the device until it registers again, if it has not since.
  case gone(String, since: Instant)
  /// Send nothing more there until the configuration is read again.
  case noMore(String)
  case again(String)

  /// What an answer means for every provider; nil if that depends on the provider.
  init?(common answer: PushResponse) {
    // A server may answer before it has read the body, and then end the stream: it has accepted.
    if (200..<300).contains(answer.status) {
      self = .accepted
    } else if let failure = answer.failure {
      self = .again(failure)
    } else {
      return nil
    }
  }
}
