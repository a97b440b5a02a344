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
  var waiting: [Order] = []
  var waitingTimer: EventSource?
  var toldRejections: (causes: Set<Rejection>, since: Duration) = ([], uptime)
  private(set) lazy var register = OpenRegister(loop, journal) { [unowned self] in
    try? door?.phones?.read()
    publisher?.read()
  }
  var publisher: Publisher?
  var ahead: Ahead?
  /// The events that would tell the return of something lost.
  var lost: Set<String> = []
  var door: HTTPDoor?
  var doorTimer: EventSource?
  var notices = RecentNotices()
  var doorOutage = Outage(longest: .seconds(10))
  /// The payloads that the broker keeps for us, by topic.
  private var published: [String: String] = [:]
  /// The topics of names that the clock had since the relay has started.
  private var former: Set<String> = []
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
    tellOutdated()
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
    _ = broker?.publish(topics.availability, "offline")
    broker?.disconnect()
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
      if connects { disconnect() }
      configuration = new
      if connects {
        broker = nil
        former.formUnion(topics.retained)
        topics = new.topics
        connect()
      }
      // Keys and secrets are in files of their own, which may have changed.
      startPush()
      // The files of the token and the certificate may have changed.
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

  // MARK: Telling

  private func tellOutdated() {
    for words in configuration.outdated { journal.log(.keyOutdated, .notice, words) }
  }

  /// Publishes all again after a new connection: the broker's messages may be old, or gone.
  func connectedToBroker() {
    published = [:]
    broker?.subscribe(to: topics.filters)
    // Once: some brokers end the connection of a client that may not do so.
    for topic in former.subtracting(topics.retained) { publish(topic, "") }
    former = []
    publishAll()
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
    return announcer.state.payload(waiting: waiting)
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
    journal.log(
      .homeAssistant, .info, "Home Assistant has started; everything is published again")
    published = [:]
    publishAll()
  }
}

extension RelayConfiguration.Broker {
  /// As in `homeassistant.local:8883, TLS`.
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
