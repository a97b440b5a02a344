import Basics
import Daemon
@preconcurrency import Glibc
import Horology

/// The relay: connects its parts. RelayCommands.swift handles the commands.
public final class RelayService {
  let loop: EventLoop
  let journal = Journal()
  private let notifier = Notifier()
  private let path: String?
  private(set) var configuration: RelayConfiguration
  var topics: Topics
  private(set) var broker: BrokerLink?
  private(set) lazy var announcer = AnnouncerLink(loop, self)
  private var sources: [EventSource] = []

  var reader = CommandReader()
  /// The commands for an instant, in the order in which they came.
  var waiting: [WaitingCommand] = []
  var waitingTimer: EventSource?
  var toldRejections: (causes: Set<Rejection>, since: Duration) = ([], uptime)
  var commandEntries = Throttle()
  private var births = Throttle()
  private(set) lazy var register = OpenRegister(loop, journal) { [unowned self] in
    try? phones?.read()
    publisher?.read()
  }
  var publisher: Publisher?
  var ahead: Ahead?
  /// The events that would tell the return of something lost.
  var lost: Set<String> = []
  var door: HTTPDoor?
  /// Nil without the face.
  var phones: Phones?
  var avahi: Avahi?
  var doorTimer: EventSource?
  var notices = RecentNotices()
  private(set) lazy var renderer = Renderer(loop)
  var doorOutage = Outage(longest: .seconds(10))
  /// The payloads that the broker keeps for us, by topic.
  private var published: [String: String] = [:]
  private var memory = RelayMemory()
  private let memoryPath = RelayMemory.pathOfService
  private var memoryOutage = Outage(first: .seconds(10), longest: .seconds(10))
  private var memoryTimer: EventSource?
  private var announcerOutage = Outage()
  private var hasAnnouncerAnswered = false

  /// - Throws: `Fault` if the configuration is wrong, or the loop cannot be made.
  public init(path: String?) throws(Fault) {
    self.path = path
    configuration = try RelayConfiguration.load(path: path)
    topics = configuration.topics
    loop = try EventLoop()
  }

  /// - Throws: `Fault` if the loop cannot go on.
  public func run() throws(Fault) {
    for signal in [SIGTERM, SIGINT] {
      sources.append(try loop.whenSignalled(signal) { [unowned self] in stop() })
    }
    sources.append(try loop.whenSignalled(SIGHUP) { [unowned self] in reload() })
    Glibc.signal(SIGPIPE, SIG_IGN)
    journal.log(.started, .info, "started: \(topics.clock) at \(configuration.broker.words)")
    remember()
    notifier.ready("connecting to \(configuration.broker.words)")
    announcer.connect()
    connect()
    startPush()
    openDoor()
    if let allowed = Notifier.watchdogInterval {
      sources.append(try loop.every(allowed / 2) { [unowned self] in notifier.isAlive() })
    }
    try loop.run()
  }

  private func connect() {
    // A relay without a broker still serves push and HTTP.
    guard !configuration.broker.host.isEmpty else { return }
    let broker = BrokerLink(self)
    self.broker = broker
    broker.connect()
  }

  private func disconnect() {
    // If this cannot be sent, break the connection instead: the broker then publishes the will.
    let isTold = broker?.publish(topics.availability, "offline") == true
    broker?.disconnect(saysGoodbye: isTold)
  }

  private func stop() {
    if memoryOutage.isLost { save() }
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
      if connects { disconnect() }
      configuration = new
      if connects {
        broker = nil
        topics = new.topics
        connect()
      }
      // Keys and secrets are in files of their own, which may have changed.
      startPush()
      // The files of the token and the certificate may have changed.
      openDoor()
      journal.log(
        .reloaded, .info, "reloaded: \(topics.clock) at \(configuration.broker.words)")
    } catch {
      journal.log(
        .reloaded, .warning, "the configuration stays as it was: \(error)",
        ["DETAIL": error.description])
    }
    notifier.ready("connecting to \(configuration.broker.words)")
    tellStatus()
  }

  // MARK: The memory

  private func remember() {
    guard let memoryPath else { return }
    let (kept, complaint) = RelayMemory.load(memoryPath)
    memory = kept
    if let complaint { journal.log(.memory, .warning, complaint) }
    for waiting in kept.waiting {
      guard let order = try? Order(payload: waiting.line), let instant = order.at else {
        journal.log(
          .memory, .warning,
          "a command that waited is lost, for this version does not understand it: "
            + waiting.line.excerpt.printable, ["TOPIC": waiting.topic])
        continue
      }
      reader.remember(order)
      let command = ReceivedCommand(order: order, topic: waiting.topic)
      self.waiting.append(WaitingCommand(command, instant))
    }
    let count = waiting.count
    if count > 0 { journal.log(.waiting, .info, "commands that wait for their instants: \(count)") }
  }

  func keep() {
    var memory = memory
    memory.waiting = waiting.map { .init(topic: $0.command.topic, line: $0.command.order.line) }
    guard memory != self.memory else { return }
    self.memory = memory
    save()
  }

  /// After a failure it tries again by itself.
  private func save() {
    memoryTimer = nil
    guard let memoryPath else { return }
    do throws(Fault) {
      try memory.save(memoryPath)
      guard memoryOutage.ends() else { return }
      journal.log(.memory, .notice, "the commands that wait are saved again")
    } catch {
      if memoryOutage.begins() {
        journal.log(
          .memory, .warning, "\(error); the commands that wait would not outlast a restart",
          ["DETAIL": error.description])
      }
      memoryTimer = try? loop.after(memoryOutage.nextWait()) { [unowned self] in save() }
    }
  }

  // MARK: Telling

  /// Publishes all again after a new connection: the broker's messages may be old, or gone.
  func connectedToBroker() {
    published = [:]
    broker?.subscribe(to: topics.filters)
    clearFormerTopics()
    publishAll()
  }

  /// Clears what the broker keeps of the clock's former name. Tries it once, for some brokers end the
  /// connection of a client that may not do so.
  private func clearFormerTopics() {
    let current = topics.retained
    guard memory.retained != current else { return }
    for topic in memory.retained where !current.contains(topic) { publish(topic, "") }
    memory.retained = current
    save()
  }

  func publishAll() {
    if let topic = topics.discovery {
      publish(topic, Discovery(topics: topics, version: version).payload)
    }
    publishState()
    publishAvailability()
  }

  /// Publishes a payload unless the broker already has it.
  private func publish(_ topic: String, _ payload: String) {
    guard let broker, published[topic] != payload else { return }
    if broker.publish(topic, payload) { published[topic] = payload }
  }

  var isRunning: Bool { announcer.absence == nil }

  private func publishAvailability() {
    publish(topics.availability, isRunning ? "online" : "offline")
    tellStatus()
  }

  /// As in `connected to homeassistant.local:1883, the announcer runs`.
  func tellStatus() {
    let reaches =
      switch broker {
      case nil: "no broker"
      case let broker? where broker.isConnected: "connected to \(broker.name)"
      case let broker?: "\(broker.name) is not reached"
      }
    notifier.status("\(reaches), \(announcer.absence ?? "the announcer runs")")
  }

  func publishState() {
    if let state { publish(topics.state, state) }
    door?.streams.show(stateForApps)
  }

  /// Nil while the announcer does not run.
  var state: String? {
    guard isRunning else { return nil }
    return announcer.state.payload(waiting: waiting.map(\.command.order))
  }

  func lookAtAnnouncer() {
    if let why = announcer.absence {
      // Log only the first cause: it may change from one attempt to the next.
      if announcerOutage.begins() {
        journal.log(
          .announcerLost, .warning,
          "\(why); the clock is published as offline until the announcer is back")
      }
    } else {
      let isBack = announcerOutage.ends()
      if isBack || !hasAnnouncerAnswered {
        journal.log(.announcer, isBack ? .notice : .info, "the announcer answers")
      }
      hasAnnouncerAnswered = true
    }
    sendDue()
    lookAhead()
    publishState()
    publishAvailability()
  }

  /// Publishes everything again: Home Assistant has started and knows nothing.
  func republishAll() {
    // A limit, because anybody can fake this message again and again.
    guard births.pass(at: uptime) != nil else { return }
    journal.log(
      .homeAssistant, .info, "Home Assistant has started; everything is published again")
    published = [:]
    publishAll()
  }
}

extension RelayConfiguration.Broker {
  /// As in `homeassistant.local:8883, TLS`.
  fileprivate var words: String {
    host.isEmpty ? "no broker" : "\(host):\(port)\(usesTLS ? ", TLS" : "")"
  }
}
