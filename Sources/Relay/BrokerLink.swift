import Basics
import Daemon
import Horology
import Vocabulary

/// The connection to the broker, made again whenever it ends, and what this clock publishes there and
/// clears when it leaves.
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
  /// The payloads that the broker keeps for us, by topic.
  private var published: [String: String] = [:]
  /// The numbers of the alarms that Home Assistant has heard of from here.
  private var toldAlarms: Set<Int> = []
  /// Those of this configuration are looked for once the network is there and what is ours here is told.
  private var former: FormerBrokers?
  private var hasLookedBack = false

  init(_ service: RelayService) { self.service = service }

  private var settings: RelayConfiguration.Broker { service.configuration.broker }
  private var topics: Topics { service.topics }
  private var journal: Journal { service.journal }

  /// Nil without a broker: the relay still serves push and HTTP.
  var isConnected: Bool? { settings.host.isEmpty ? nil : client?.isAccepted == true }

  // MARK: The connection

  /// Begins anew, with the current configuration.
  func connect() {
    (outage, causes, subscriptions, toldDenials) = (Outage(), [], [:], [])
    hasLookedBack = false
    if isConnected == nil { lookBack() } else { tryToConnect() }
  }

  private func tryToConnect() {
    do throws(Fault) {
      let client = try MQTTClient(
        settings, service.loop, id: topics.clientID, will: topics.availability
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
      let name = settings.name
      if !outage.isLost {
        journal.log(.broker, .info, "connected to \(name) as \(topics.clock)")
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
    timer = try? service.loop.after(outage.nextWait()) { [unowned self] in tryToConnect() }
  }

  func disconnect() {
    send(topics.availability, "offline")
    end()
  }

  private func end() {
    timer = nil
    client?.disconnect()
    client = nil
  }

  /// Clears our topics before the broker is changed.
  func leave() {
    guard isConnected == true else { return }
    // QoS 0: with unread acknowledgements the close would drop the rest.
    for topic in topics.retained { send(topic, "", qos: 0) }
    try? service.register.opened().setRetained([], at: settings.place)
    end()
  }

  // MARK: What is published

  /// Publishes all again after a new connection: the broker's messages may be old, or gone.
  func connected() {
    for filter in topics.filters {
      if let number = client?.subscribe(to: filter) { subscriptions[number] = filter }
    }
    let place = settings.place
    let left = (try? service.register.opened().retained(at: place)) ?? []
    // Once: some brokers end the connection of a client that may not do so.
    clear(left.isEmpty ? [topics.oldDiscovery].compactMap { $0 } : left)
    if Set(left) != Set(topics.retained) {
      try? service.register.opened().setRetained(topics.retained, at: place)
    }
    publishAll(again: true)
    lookBack()
  }

  private func lookBack() {
    if !hasLookedBack { former = FormerBrokers(service) }
    hasLookedBack = true
  }

  /// Clears those of these topics that are not ours now.
  func clear(_ former: [String]) {
    for topic in Set(former).subtracting(topics.retained) { send(topic, "") }
  }

  /// - Parameter again: also what the broker has.
  func publishAll(again: Bool = false) {
    if again { published = [:] }
    publishDiscovery()
    service.publishState()
    if !service.announcer.isRunning { publish(topics.availability, "offline") }
  }

  private func publishDiscovery() {
    guard let topic = topics.discovery else { return }
    let alarms = service.announcer.state.alarms
    toldAlarms.formUnion(alarms.keys)
    let gone = service.announcer.isRunning ? toldAlarms.subtracting(alarms.keys) : []
    publish(topic, Discovery.payload(topics, alarms: alarms, gone: gone))
  }

  func publish(state: String) {
    // A clock that had this name before may have cleared its topics only now.
    if published[topics.state] != state { published[topics.availability] = nil }
    publish(topics.state, state)
    publish(topics.availability, "online")
  }

  /// Publishes a payload unless the broker already has it.
  private func publish(_ topic: String, _ payload: String) {
    guard published[topic] != payload else { return }
    if send(topic, payload) { published[topic] = payload }
  }

  /// Publishes that a timer or an alarm rings, or was missed.
  func publish(ring event: JournalEvent, _ words: String, _ fields: [String: String]) {
    // `event_type` is the key of Home Assistant.
    let ring = Record([
      "event_type": .text(event.key),
      "number": (fields["TIMER"] ?? fields["ALARM"]).flatMap { Int64($0) }.map { .integer($0) },
      "name": (fields["TIMER_NAME"] ?? fields["ALARM_NAME"]).map { .text($0) },
      "text": .text(words),
    ])
    send(topics.event, ring.json, isRetained: false)
  }

  func answer(_ outcome: CommandOutcome, id: String?) {
    send(topics.answer, outcome.payload(id: id), qos: 0, isRetained: false)
  }

  @discardableResult
  private func send(
    _ topic: String, _ payload: String, qos: Int32 = 1, isRetained: Bool = true
  ) -> Bool {
    isConnected == true
      && client?.publish(topic, payload, qos: qos, isRetained: isRetained) == true
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
