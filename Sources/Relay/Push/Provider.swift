import Basics
import Horology

/// A service that takes messages.
struct Provider {
  /// As the register and the journal name it, as in `ntfy phone`.
  let name: String
  /// Of the devices that it serves; nil for an entry of the configuration, itself one receiver.
  var environment: Device.Environment?
  let events: PushEvents
  /// A file or a folder of certificates that vouch for the server.
  let authorities: String
  var certificate: String?
  var key: String?
  /// How many requests may be in flight.
  var most = 1
  /// Throws `Fault` if the message cannot be put in a form that the service takes.
  let request: (_ delivery: Delivery, _ now: Instant) throws(Fault) -> PushRequest
  /// What an answer means here; nil if it means the same everywhere.
  let verdict: (PushResponse) -> Verdict?
}

enum Verdict: Hashable {
  case accepted
  case refused(String)
  /// The device has gone: send nothing more to it until it registers again, if it has not since.
  /// With nil a setting may be wrong, and it stays active.
  case deviceRefused(String, since: Instant? = nil)
  /// Nil if it can be sent at once, in another form.
  case again(String?)
  /// It is about this device alone.
  case later(String)

  init(_ answer: PushResponse, from provider: Provider) {
    // A server may answer before it has read the body, and then end the stream: it has accepted.
    if (200..<300).contains(answer.status) {
      self = .accepted
    } else if let failure = answer.failure {
      self = .again(failure)
    } else {
      self = provider.verdict(answer) ?? .again("the server answers status \(answer.status)")
    }
  }
}
