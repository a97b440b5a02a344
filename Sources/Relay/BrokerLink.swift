import Basics
import Daemon
import Horology

/// The connection to the broker, made again whenever it ends.
final class BrokerLink {
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
  /// How a trial has ended; nil for a connection that stays.
  private let tried: ((Fault?) -> Void)?

  /// - Parameter tried: told once that the broker has let this client in, or why not. This client is
  ///   another one than the relay that runs, which stays connected.
  init(_ service: RelayService, tried: ((Fault?) -> Void)? = nil) {
    self.service = service
    self.tried = tried
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
    let id = topics.clientID(ofMachine: Machine.id)
    let made = try MQTTClient(
      settings, id: tried == nil ? id : "\(id)-check",
      will: tried == nil ? (topics.availability, "offline") : nil, loop, self)
    client = made
    try made.connect(to: address, port: settings.port)
  }

  // MARK: What the client tells

  /// The broker has let it in.
  func accepted() {
    if let tried { return tried(nil) }
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

  /// The connection has ended, or could not be made.
  func lose(_ fault: Fault) {
    if isConnected {
      isConnected = false
      service.tellStatus()
    }
    client = nil
    lookup = nil
    guard addresses.isEmpty else { return connect() }
    if let tried { return tried(fault) }
    _ = outage.begins()
    if causes.count < Self.mostCauses, causes.insert(fault.description).inserted {
      journal.log(
        .brokerLost, .warning, "\(fault); it is tried again", ["DETAIL": fault.description])
    }
    timer = try? loop.after(outage.nextWait()) { [unowned self] in connect() }
  }

  /// The broker does not let it hear this filter.
  func tellDenial(of filter: String) {
    guard toldDenials.insert(filter).inserted else { return }
    journal.log(
      .denied, .warning,
      "the broker does not let this clock hear \(filter); let its user read there, as "
        + "'topic read \(filter)' does in an ACL of mosquitto", ["TOPIC": filter])
  }

  func received(_ message: MQTTMessage) { service.receive(message) }

  /// False while messages are to be left at the broker. `readOn` tells when that is over.
  var hasRoom: Bool { service.announcer.hasRoom }

  func readOn() { client?.wake() }

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

extension RelayService {
  /// Connects to the broker once, for `check`.
  /// - Throws: `Fault` if the broker cannot be reached, or does not let it in.
  public func tryBroker() throws(Fault) {
    var fault: Fault?
    let broker = BrokerLink(self) { [unowned self] in
      fault = $0
      loop.exit()
    }
    broker.connect()
    try loop.run()
    broker.disconnect()
    if let fault { throw fault }
  }
}
