import Basics
import Vocabulary

/// What this clock publishes at its broker, and clears there when it leaves.
final class BrokerTopics {
  private unowned let service: RelayService
  private var link: BrokerLink?
  /// The payloads that the broker keeps for us, by topic.
  private var published: [String: String] = [:]
  /// Those of this configuration are looked for once the network is there and what is ours here is told.
  private var former: FormerBrokers?
  private var hasLookedBack = false

  init(_ service: RelayService) { self.service = service }

  private var topics: Topics { service.topics }

  /// Nil without a broker.
  var isConnected: Bool? { link?.isConnected }

  func connect() {
    // A relay without a broker still serves push and HTTP.
    link = service.configuration.broker.host.isEmpty ? nil : BrokerLink(service)
    link?.connect()
    hasLookedBack = false
    if link == nil { lookBack() }
  }

  func disconnect() {
    link?.publish(topics.availability, "offline")
    link?.disconnect()
  }

  /// Clears our topics before the broker is changed.
  func leave() {
    guard isConnected == true else { return }
    // QoS 0: with unread acknowledgements the close would drop the rest.
    for topic in topics.retained { link?.publish(topic, "", qos: 0) }
    try? service.register.opened().setRetained([], at: service.configuration.broker.place)
    link?.disconnect()
  }

  /// Publishes all again after a new connection: the broker's messages may be old, or gone.
  func connected() {
    link?.subscribe(to: topics.filters)
    let place = service.configuration.broker.place
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
    for topic in Set(former).subtracting(topics.retained) { link?.publish(topic, "") }
  }

  /// - Parameter again: also what the broker has.
  func publishAll(again: Bool = false) {
    if again { published = [:] }
    if let topic = topics.discovery { publish(topic, Discovery.payload(topics)) }
    service.publishState()
    if !service.announcer.isRunning { publish(topics.availability, "offline") }
  }

  func publish(state: String) {
    // A clock that had this name before may have cleared its topics only now.
    if published[topics.state] != state { published[topics.availability] = nil }
    publish(topics.state, state)
    publish(topics.availability, "online")
  }

  /// Publishes a payload unless the broker already has it.
  private func publish(_ topic: String, _ payload: String) {
    guard let link, published[topic] != payload else { return }
    if link.publish(topic, payload) { published[topic] = payload }
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
    link?.publish(topics.event, ring.json, isRetained: false)
  }

  func answer(_ outcome: CommandOutcome, id: String?) {
    link?.publish(topics.answer, outcome.payload(id: id), qos: 0, isRetained: false)
  }
}
