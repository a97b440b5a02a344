import Basics
import Daemon
@preconcurrency import Glibc
import Horology
import Vocabulary

/// The relay: connects its parts. RelayCommands.swift handles the commands.
public final class RelayService {
  let loop: EventLoop
  let journal = Journal()
  private let notifier = Notifier()
  private let path: String?
  private(set) var configuration: RelayConfiguration
  private(set) var broker: BrokerLink?
  private(set) lazy var announcer = AnnouncerLink(loop, self)
  private var sources: [EventSource] = []

  var reader = CommandReader()
  /// The commands for an instant, in the order in which they came.
  var waiting: [Order] = []
  var waitingTimer: EventSource?
  var toldRejections: (causes: Set<Rejection>, since: Duration) = ([], uptime)
  private(set) lazy var register = OpenRegister(loop, journal) { [unowned self] in
    door?.phones?.read()
    publisher?.read()
  }
  var publisher: Publisher?
  private(set) lazy var ahead = Ahead(loop) { [unowned self] in
    publisher?.publish($0.message(of: topics.name, at: .now))
  }
  /// What is lost: the event that ends it is told, though it is an everyday one.
  var lost: Set<JournalEvent> = []
  var door: HTTPDoor?
  var doorTimer: EventSource?
  var certificateWatches: [EventSource] = []
  var notices = RecentNotices()
  var doorOutage = Outage(longest: .seconds(10))
  /// The payloads that the broker keeps for us, by topic.
  private var published: [String: String] = [:]
  private var formerBrokers: [MQTTClient] = []
  private var formerTimer: EventSource?
  private static let patience = Duration.seconds(30)
  private var hasLookedBack = false
  /// Whether the announcer ran when that was logged last.
  private var loggedRunning: Bool?

  var topics: Topics { configuration.topics }

  public init(path: String?) throws(Fault) {
    self.path = path
    configuration = try RelayConfiguration.load(path: path)
    loop = try EventLoop()
  }

  public func run() throws(Fault) {
    for signal in [SIGTERM, SIGINT] {
      sources.append(try loop.whenSignalled(signal) { [unowned self] in stop() })
    }
    sources.append(try loop.whenSignalled(SIGHUP) { [unowned self] in reload() })
    Glibc.signal(SIGPIPE, SIG_IGN)
    journal.log(.started, .info, "started: \(topics.clock) at \(configuration.broker.words)")
    tellOutdated()
    notifier.ready("connecting to \(configuration.broker.words)")
    announcer.connect()
    connect()
    takeUpWaiting()
    startPush()
    openDoor()
    if let allowed = Notifier.watchdogInterval {
      sources.append(try loop.every(allowed / 2) { [unowned self] in notifier.isAlive() })
    }
    try loop.run()
  }

  private func connect() {
    // A relay without a broker still serves push and HTTP.
    broker = configuration.broker.host.isEmpty ? nil : BrokerLink(self)
    broker?.connect()
    hasLookedBack = broker == nil
    if hasLookedBack { clearFormerBrokers() }
  }

  private func disconnect() {
    broker?.publish(topics.availability, "offline")
    broker?.disconnect()
  }

  private var place: Register.Place { (configuration.broker.host, configuration.broker.port) }

  /// Clears what this clock left at brokers of former configurations. It connects without a user, so
  /// that no password goes to another broker than its own.
  private func clearFormerBrokers() {
    let former = ((try? register.opened().placesOfRetained()) ?? []).filter { $0 != place }
    formerBrokers = former.compactMap { try? client(toClear: $0) }
    // Once: a broker that is gone is not asked at each start.
    formerTimer =
      former.isEmpty
      ? nil
      : try? loop.after(Self.patience) { [unowned self] in
        formerBrokers = []
        for old in former { giveUp(old) }
      }
  }

  private func giveUp(_ old: Register.Place) {
    let left = (try? register.opened().retained(at: old)) ?? []
    guard !left.isEmpty else { return }
    try? register.opened().setRetained([], at: old)
    journal.log(
      .broker, .notice,
      "\(old.host) was not reached, or refused: what this clock has left there stays: "
        + left.joined(separator: ", "))
  }

  private func client(toClear old: Register.Place) throws(Fault) -> MQTTClient {
    let left = (try? register.opened().retained(at: old)) ?? []
    // Every clock has left this, so the broker tells it.
    let last = left.first { $0.hasSuffix("/availability") } ?? ""
    var settings = configuration.broker
    (settings.host, settings.givenPort, settings.user) = (old.host, old.port, nil)
    weak var client: MQTTClient?
    func cleared() {
      try? register.opened().setRetained([], at: old)
      client?.disconnect()
      journal.log(.broker, .info, "cleared what this clock had left at \(settings.name)")
    }
    let made = try MQTTClient(settings, loop, id: "\(topics.clientID)-former") {
      [unowned self] event in
      switch event {
      case .accepted:
        for topic in [topics.availability, last] { _ = client?.subscribe(to: topic) }
      case .received(topics.availability, Array("online".utf8), _):
        // It is the same broker by another name.
        for topic in Set(left).subtracting(topics.retained) { publish(topic, "") }
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

  private func stop() {
    journal.log(.stopping, .info, "stopping")
    notifier.stopping()
    closeDoor()
    disconnect()
    loop.exit()
  }

  private func reload() {
    notifier.reloading()
    do throws(Fault) {
      let new = try RelayConfiguration.load(path: path)
      // Retry an unreachable broker at once: its password or certificate may have changed.
      let connects =
        new.broker != configuration.broker || new.topics != topics || broker?.isConnected == false
      if connects {
        if new.broker.name != configuration.broker.name { leaveNothing() }
        disconnect()
      }
      configuration = new
      if connects { connect() }
      // Keys, secrets and certificates are in files of their own, which may have changed.
      startPush()
      openDoor()
      journal.log(
        .reloaded, .info, "reloaded: \(topics.clock) at \(configuration.broker.words)")
      tellOutdated()
    } catch {
      journal.log(
        .reloaded, .warning, "the configuration stays as it was: \(error)",
        ["DETAIL": error.description])
    }
    notifier.ready("connecting to \(configuration.broker.words)")
    tellStatus()
  }

  private func tellOutdated() {
  }

  /// Publishes all again after a new connection: the broker's messages may be old, or gone.
  func connectedToBroker() {
    published = [:]
    broker?.subscribe(to: topics.filters)
    let place = place
    let left = Set((try? register.opened().retained(at: place)) ?? [])
    // Once: some brokers end the connection of a client that may not do so.
    let former = left.isEmpty ? Set([topics.oldDiscovery].compactMap { $0 }) : left
    for topic in former.subtracting(topics.retained) { publish(topic, "") }
    if left != Set(topics.retained) {
      try? register.opened().setRetained(topics.retained, at: place)
    }
    publishAll()
    // The network is there, and what is ours here is told.
    if !hasLookedBack { clearFormerBrokers() }
    hasLookedBack = true
    sendDue()
  }

  /// Clears our topics before the broker is changed.
  private func leaveNothing() {
    guard broker?.isConnected == true else { return }
    // QoS 0: with unread acknowledgements the close would drop the rest.
    for topic in topics.retained { broker?.publish(topic, "", qos: 0) }
    try? register.opened().setRetained([], at: place)
    broker?.disconnect()
  }

  func publishAll() {
    if let topic = topics.discovery { publish(topic, Discovery.payload(topics)) }
    publishState()
    publish(topics.availability, isRunning ? "online" : "offline")
    tellStatus()
  }

  /// Publishes a payload unless the broker already has it.
  private func publish(_ topic: String, _ payload: String) {
    guard let broker, published[topic] != payload else { return }
    if broker.publish(topic, payload) { published[topic] = payload }
  }

  var isRunning: Bool { announcer.absence == nil }

  /// As in `connected to homeassistant.local:1883, the announcer runs`.
  func tellStatus() {
    let name = configuration.broker.name
    let reaches =
      switch broker?.isConnected {
      case nil: "no broker"
      case true?: "connected to \(name)"
      case false?: "\(name) is not reached"
      }
    notifier.status("\(reaches), \(announcer.absence ?? "the announcer runs")")
  }

  func publishState() {
    let state = stateForApps
    if case .success(let state) = state { publish(topics.state, state) }
    door?.streams.show(state)
  }

  func lookAtAnnouncer() {
    // Log only the first cause of an absence: it may change from one attempt to the next.
    if loggedRunning != isRunning {
      loggedRunning = isRunning
      if let why = announcer.absence {
        journal.log(
          .announcerLost, .warning,
          "\(why); the clock is published as offline until the announcer is back")
      } else {
        journal.log(.announcer, .notice, "the announcer answers")
      }
    }
    sendDue()
    lookAhead()
    publishAll()
  }

  /// Publishes everything again: Home Assistant has started and knows nothing.
  func republishAll() {
    journal.log(
      .homeAssistant, .info, "Home Assistant has started; everything is published again")
    published = [:]
    publishAll()
  }
}

extension RelayConfiguration.Broker {
  fileprivate var words: String {
    host.isEmpty ? "no broker" : "\(name)\(usesTLS ? ", TLS" : "")"
  }
}

extension Instant {
  /// Reads `CLOCK_REALTIME`, to the microsecond, as the register has it.
  public static var now: Instant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }
}
