import Basics
import Horology

/// A service that takes messages: makes the requests for it and judges its answers.
protocol Provider: AnyObject {
  var lane: Lane { get }
  /// The events that an entry wants. Each device has its own choice.
  var events: PushEvents { get }
  var settings: CarrierSettings { get }
  var origin: ProviderOrigin { get }

  /// - Throws: `Fault` if the message cannot be put in a form that the service takes.
  func request(
    _ delivery: Delivery, _ registered: RegisteredMessage, at now: Instant
  ) throws(Fault) -> Request

  func judge(_ answer: PushResponse, sent: Instant, at now: Instant) -> Verdict

  /// How long to wait after so many tries of one delivery.
  func pause(after tries: Int) -> Duration
}

extension Provider {
  /// Twice as long each time, from 1 s to 64 s.
  func pause(after tries: Int) -> Duration { .seconds(1 << min(max(tries - 1, 0), 6)) }
}
