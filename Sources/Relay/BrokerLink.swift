import Basics
import Daemon
import Horology

/// The connection to the broker, made again whenever it ends.
final class BrokerLink {
  /// A connection that lasts less than this does not end the outage.
  private static let trial = Duration.seconds(10)

  private unowned let service: RelayService

  private var client: MQTTClient?
  private var outage = Outage()
  private var timer: EventSource?
  /// The causes of this outage that have been logged.
  private var causes: Set<String> = []
  private var subscriptions: [Int32: String] = [:]
  private var toldDenials: Set<String> = []

  init(_ service: RelayService) { self.service = service }

  var isConnected: Bool { client?.isAccepted == true }

  private var journal: Journal { service.journal }

  func connect() {
    do throws(Fault) {
      let client = try MQTTClient(
        service.configuration.broker, service.loop, id: service.topics.clientID,
        will: service.topics.availability
      ) { [unowned self] in serve($0) }
      self.client = client
      try client.connect()
    } catch {
      lose(error)
    }
  }

  private func serve(_ event: MQTTClient.Event) {
    switch event {
    case .accepted:
      let name = service.configuration.broker.name
      if !outage.isLost {
        journal.log(.broker, .info, "connected to \(name) as \(service.topics.clock)")
      }
      timer = try? service.loop.after(Self.trial) { [unowned self] in
        if outage.ends() { journal.log(.broker, .notice, "the broker \(name) is back") }
        causes = []
      }
      service.connectedToBroker()
    case .received(let topic, let payload, let isRetained):
      service.receive(payload, on: topic, isRetained)
    case .denied(let number):
      guard let filter = subscriptions[number], toldDenials.insert(filter).inserted else { return }
      journal.log(
        .denied, .warning,
        "the broker does not let this clock hear \(filter); let its user read there, as "
          + "'topic read \(filter)' does in an ACL of mosquitto", ["TOPIC": filter])
    case .ended(let fault): lose(fault)
    }
  }

  private func lose(_ fault: Fault) {
    client = nil
    service.tellStatus()
    _ = outage.begins()
    if causes.insert(fault.description).inserted {
      journal.log(
        .brokerLost, .warning, "\(fault); it is tried again", ["DETAIL": fault.description])
    }
    timer = try? service.loop.after(outage.nextWait()) { [unowned self] in connect() }
  }

  func disconnect() {
    timer = nil
    client?.disconnect()
    client = nil
  }

  @discardableResult
  func publish(
    _ topic: String, _ payload: String, qos: Int32 = 1, isRetained: Bool = true
  ) -> Bool {
    isConnected && client?.publish(topic, payload, qos: qos, isRetained: isRetained) == true
  }

  func subscribe(to filters: [String]) {
    for filter in filters {
      if let number = client?.subscribe(to: filter) { subscriptions[number] = filter }
    }
  }
}

extension RelayService {
  /// Connects to the broker once, for `check`, as another client than the relay that runs.
  public func tryBroker() throws(Fault) {
    let id = "\(topics.clientID)-check"
    let client = try MQTTClient(configuration.broker, loop, id: id) { [unowned self] event in
      loop.attempt { () throws(Fault) in if case .ended(let why) = event { throw why } }
      loop.exit()
    }
    defer { client.disconnect() }
    try client.connect()
    try loop.run()
  }
}
