import Basics
import Horology

/// A service that takes messages: makes the requests for it and judges its answers.
protocol Provider: AnyObject {
  var lane: Lane { get }
  var events: PushEvents { get }
  var settings: TransferSettings { get }

  /// - Parameter token: of the device; empty for an entry.
  /// - Throws: `Fault` if the message cannot be put in a form that the service takes.
  func request(
    _ delivery: Delivery, to token: String, at now: Instant
  ) throws(Fault) -> PushRequest

  func judge(_ answer: PushResponse, sent: Instant) -> Verdict

  /// How long to wait after so many tries of one delivery.
  func pause(after tries: Int) -> Duration
}

extension Provider {
  /// Twice as long each time, from 1 s to 64 s.
  func pause(after tries: Int) -> Duration { .seconds(1 << min(max(tries - 1, 0), 6)) }
}

/// A queue of deliveries: for one of Apple's servers, or for an entry of the configuration.
enum Lane: Hashable {
  case apns(Device.Environment)
  case ntfy(String)
  case webhook(String)

  /// As the register and the journal name it.
  var name: String {
    switch self {
    case .apns(let environment): "apns \(environment.rawValue)"
    case .ntfy(let name): "ntfy \(name)"
    case .webhook(let name): "webhook \(name)"
    }
  }

  /// Nil for an entry, which is itself one receiver.
  var environment: Device.Environment? {
    if case .apns(let environment) = self { environment } else { nil }
  }
}
