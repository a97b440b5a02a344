import Basics
import Daemon

/// Clears, once, what this clock left at the brokers of former configurations. It connects without a
/// user, so that no password goes to another broker than its own.
final class FormerBrokers {
  private static let patience = Duration.seconds(30)

  private unowned let service: RelayService
  private var clients: [MQTTClient] = []
  private var timer: EventSource?

  init(_ service: RelayService) {
    self.service = service
    let now = service.configuration.broker.place
    let former = ((try? service.register.opened().placesOfRetained()) ?? []).filter { $0 != now }
    guard !former.isEmpty else { return }
    clients = former.compactMap { try? connect(to: $0) }
    // A broker that is gone is not asked at each start.
    timer = try? service.loop.after(Self.patience) { [unowned self] in
      clients = []
      for place in former { giveUp(place) }
    }
  }

  private func giveUp(_ place: Register.Place) {
    let left = (try? service.register.opened().retained(at: place)) ?? []
    guard !left.isEmpty else { return }
    try? service.register.opened().setRetained([], at: place)
    service.journal.log(
      .broker, .notice,
      "\(place.host) was not reached, or refused: what this clock has left there stays: "
        + left.joined(separator: ", "))
  }

  private func connect(to place: Register.Place) throws(Fault) -> MQTTClient {
    let left = (try? service.register.opened().retained(at: place)) ?? []
    // Every clock has left this, so the broker tells it.
    let last = left.first { $0.hasSuffix("/availability") } ?? ""
    let availability = service.topics.availability
    var settings = service.configuration.broker
    (settings.host, settings.givenPort, settings.user) = (place.host, place.port, nil)
    weak var client: MQTTClient?
    func cleared() {
      try? service.register.opened().setRetained([], at: place)
      client?.disconnect()
      service.journal.log(.broker, .info, "cleared what this clock had left at \(settings.name)")
    }
    let made = try MQTTClient(
      settings, service.loop, id: "\(service.topics.clientID)-former"
    ) { [unowned service] event in
      switch event {
      case .accepted:
        for topic in [availability, last] { _ = client?.subscribe(to: topic) }
      case .received(availability, Array("online".utf8), _):
        // It is the same broker by another name.
        service.broker.clear(left)
        cleared()
      case .received(last, let payload, _):
        if payload.isEmpty { return cleared() }
        for topic in left.filter({ $0 != last }) + [last] {
          _ = client?.publish(topic, "", qos: 1, isRetained: true)
        }
      default: break
      }
    }
    client = made
    try made.connect()
    return made
  }
}
