import Basics
import Daemon

/// Clears what this clock left at the broker of a former configuration, which is forgotten then, reached
/// or not. It connects without a user, so that no password goes to another broker than its own.
final class FormerBroker {
  private var client: MQTTClient?
  private var timer: EventSource?

  /// Nil if there is none.
  init?(_ service: RelayService) {
    let now = service.configuration.broker.place
    guard let register = try? service.register.opened(),
      let place = try? register.placesOfRetained().first(where: { $0 != now }),
      var left = try? register.retained(at: place)
    else { return nil }
    try? register.setRetained([], at: place)
    var settings = service.configuration.broker
    (settings.host, settings.givenPort, settings.user) = (place.host, place.port, nil)
    let id = "\(service.topics.clientID)-former"
    client = try? MQTTClient(settings, service.loop, id: id) { [unowned self, unowned service] in
      switch $0 {
      case .accepted:
        _ = client?.subscribe(to: service.topics.availability)
        timer = try? service.loop.after(.seconds(2)) { [unowned self, unowned service] in
          for topic in left { _ = client?.publish(topic, "", qos: 0, isRetained: true) }
          client?.disconnect()
          service.journal.log(
            .broker, .info, "cleared what this clock had left at \(settings.name)")
        }
      case .received(_, Array("online".utf8), _):
        // It is the same broker by another name.
        left.removeAll(where: service.topics.retained.contains)
      case .ended(let fault):
        service.journal.log(
          .broker, .notice,
          "\(fault); what this clock has left there stays: \(left.joined(separator: ", "))")
      default: break
      }
    }
    try? client?.connect()
  }
}
