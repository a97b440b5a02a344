import Basics
import Daemon
import Horology

/// The connection to the broker, made again whenever it ends.
final class BrokerLink: MQTTClientOwner {
  /// A connection that lasts less than this does not end the outage.
  private static let trial = Duration.seconds(10)
  /// At most this many causes of one outage are logged.
  private static let mostCauses = 8

  private unowned let service: RelayService
  private let loop: EventLoop
  private let journal: Journal
  private let settings: RelayConfiguration.Broker
  private let topics: Topics

  private var client: MQTTClient?
  private var lookup: NameLookup?
  private var addresses: [String] = []
  private var outage = Outage()
  private var timer: EventSource?
  private var causes: Set<String> = []
  private var toldDenials: Set<String> = []
  private(set) var isConnected = false

  init(_ service: RelayService) {
    self.service = service
    loop = service.loop
    journal = service.journal
    settings = service.configuration.broker
    topics = service.topics
  }

  /// As in `homeassistant.local:1883`.
  var name: String { "\(settings.host):\(settings.port)" }

  // MARK: Connecting

  func connect() {
    timer = nil
    client = nil
    do throws(Fault) {
      if addresses.isEmpty {
        lookup = try NameLookup(settings.host, loop) { [unowned self] in found($0) }
      } else {
        try connect(to: addresses.removeFirst())
      }
    } catch {
      lose(error)
    }
  }

  private func found(_ result: Result<[String], Fault>) {
    lookup = nil
    switch result {
    case .failure(let fault): lose(fault)
    case .success(let found):
      addresses = found
      connect()
    }
  }

  private func connect(to address: String) throws(Fault) {
    let made = try MQTTClient(
      settings, id: topics.clientID(ofMachine: Machine.id), will: (topics.availability, "offline"),
      loop, self)
    client = made
    try made.connect(to: address, port: settings.port)
  }

  // MARK: What the client tells

  func accepted() {
    isConnected = true
    // If this connection ends, log that, wait, and look the name up again.
    addresses = []
    if !outage.isLost { journal.log(.broker, .info, "connected to \(name) as \(topics.clock)") }
    timer = try? loop.after(Self.trial) { [unowned self] in
      if outage.ends() { journal.log(.broker, .notice, "the broker \(name) is back") }
      causes = []
    }
    service.connectedToBroker()
  }

  func lose(_ fault: Fault) {
    if isConnected {
      isConnected = false
      service.tellStatus()
    }
    client = nil
    lookup = nil
    guard addresses.isEmpty else { return connect() }
    _ = outage.begins()
    if causes.count < Self.mostCauses, causes.insert(fault.description).inserted {
      journal.log(
        .brokerLost, .warning, "\(fault); it is tried again", ["DETAIL": fault.description])
    }
    timer = try? loop.after(outage.nextWait()) { [unowned self] in connect() }
  }

  func tellDenial(of filter: String) {
    guard toldDenials.insert(filter).inserted else { return }
    journal.log(
      .denied, .warning,
      "the broker does not let this clock hear \(filter); let its user read there, as "
        + "'topic read \(filter)' does in an ACL of mosquitto", ["TOPIC": filter])
  }

  func received(_ message: MQTTMessage) { service.receive(message) }

  // MARK: Ending

  /// Says good-bye, and does not connect again.
  func disconnect() {
    timer = nil
    lookup = nil
    client?.disconnect()
    client = nil
    isConnected = false
  }

  // MARK: Messages

  /// - Returns: false if the message is not sent.
  func publish(_ topic: String, _ payload: String) -> Bool {
    guard isConnected, let client else { return false }
    return client.publish(topic, payload)
  }

  func send(_ topic: String, _ payload: String, qos: Int32) {
    if isConnected { _ = client?.publish(topic, payload, qos: qos, isRetained: false) }
  }

  func subscribe(to filters: [String]) {
    for filter in filters { client?.subscribe(to: filter) }
  }
}

/// Connects to the broker once, for `check`. It is another client than the relay that runs, which
/// stays connected.
public final class BrokerTrial: MQTTClientOwner {
  private let loop: EventLoop
  private let configuration: RelayConfiguration
  private var lookup: NameLookup?
  private var client: MQTTClient?
  private var addresses: [String] = []
  private var fault: Fault?

  public init(_ configuration: RelayConfiguration) throws(Fault) {
    loop = try EventLoop()
    self.configuration = configuration
  }

  /// Waits until the broker has let it in.
  /// - Throws: `Fault` if the broker cannot be reached, or does not let it in.
  public func run() throws(Fault) {
    lookup = try NameLookup(configuration.broker.host, loop) { [unowned self] in
      switch $0 {
      case .success(let found):
        addresses = found
        connect()
      case .failure(let fault): lose(fault)
      }
    }
    try loop.run()
    if let fault { throw fault }
    client?.disconnect()
  }

  private func connect() {
    do throws(Fault) {
      let id = "\(configuration.topics.clientID(ofMachine: Machine.id))-check"
      let made = try MQTTClient(configuration.broker, id: id, will: nil, loop, self)
      client = made
      try made.connect(to: addresses.removeFirst(), port: configuration.broker.port)
    } catch {
      lose(error)
    }
  }

  func accepted() { loop.exit() }

  func lose(_ fault: Fault) {
    guard addresses.isEmpty else { return connect() }
    self.fault = fault
    loop.exit()
  }

  func received(_ message: MQTTMessage) {}
  func tellDenial(of filter: String) {}
}
