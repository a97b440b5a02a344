import Basics
import Daemon
@preconcurrency import Glibc

/// The relay: its parts, put together.
public final class RelayService {
  private let loop: EventLoop
  private let journal = Journal()
  private let notifier = Notifier()
  private let topics: Topics
  private let settings: RelayConfiguration.Broker
  private var broker: BrokerLink?
  private var announcer: AnnouncerLink?
  private var sources: [EventSource] = []

  private var desk = CommandDesk()
  private var waitingRoom: WaitingRoom?
  private var rejections = Rejections()
  private var last: LastAnnouncement?
  /// What the broker keeps for us, by topic.
  private var published: [String: String] = [:]
  /// As the journal knows it; nil before the first answer.
  private var toldPresence: AnnouncerLink.Presence?

  /// - Throws: `Fault` if there can be no loop.
  public init(_ configuration: RelayConfiguration) throws(Fault) {
    loop = try EventLoop()
    topics = configuration.topics
    settings = configuration.broker
  }

  /// Serves until SIGTERM or SIGINT.
  /// - Throws: `Fault` if the loop cannot go on.
  public func run() throws(Fault) {
    for signal in [SIGTERM, SIGINT] {
      sources.append(try loop.whenSignalled(signal) { [unowned self] in stop() })
    }
    // A terminal that goes away is no reason to end.
    for signal in EventLoop.meaningless + [SIGHUP] { Glibc.signal(signal, SIG_IGN) }
    let announcer = AnnouncerLink(
      loop, changed: { [unowned self] in lookAtAnnouncer() },
      announced: { [unowned self] in
        last = $0
        publishState()
      })
    self.announcer = announcer
    waitingRoom = WaitingRoom(loop) { [unowned self] in send($0, $1) }
    let broker = BrokerLink(
      loop, journal, settings, topics, connected: { [unowned self] in greet() },
      lost: { [unowned self] in tellStatus() }, received: { [unowned self] in receive($0) })
    self.broker = broker
    journal.log(
      .started, .info,
      "started: \(topics.clock) at \(settings.host):\(settings.port)\(settings.usesTLS ? ", TLS" : "")"
    )
    notifier.ready("connecting to \(settings.host):\(settings.port)")
    announcer.connect()
    broker.connect()
    if let allowed = Notifier.watchdogInterval {
      sources.append(try loop.every(allowed / 2) { [unowned self] in notifier.isAlive() })
    }
    try loop.run()
    announcer.close()
  }

  private func stop() {
    journal.log(.stopping, .info, "stopping")
    notifier.stopping()
    broker?.publish(topics.availability, "offline")
    broker?.disconnect()
    loop.exit()
  }

  // MARK: Telling

  /// The broker has let us in: what it kept may be old, or gone.
  private func greet() {
    published = [:]
    broker?.subscribe(to: topics.filters)
    publishAll()
  }

  private func publishAll() {
    if let topic = topics.discovery {
      publish(topic, Discovery(topics: topics, version: version).payload)
    }
    publishState()
    publishAvailability()
  }

  /// Publishes what the broker does not have yet.
  private func publish(_ topic: String, _ payload: String) {
    guard let broker, published[topic] != payload else { return }
    if broker.publish(topic, payload) { published[topic] = payload }
  }

  private var isRunning: Bool { announcer?.presence == .running }

  private func publishAvailability() {
    publish(topics.availability, isRunning ? "online" : "offline")
    tellStatus()
  }

  /// As in `connected to homeassistant.local:1883, the announcer runs`.
  private func tellStatus() {
    guard let broker else { return }
    let reaches =
      broker.isConnected ? "connected to \(broker.name)" : "\(broker.name) is not reached"
    notifier.status("\(reaches), the announcer \(isRunning ? "runs" : "does not run")")
  }

  private func publishState() {
    guard let announcer, isRunning else { return }
    publish(topics.state, AnnouncerState(announcer.properties, last: last).payload)
  }

  private func lookAtAnnouncer() {
    guard let presence = announcer?.presence else { return }
    switch presence {
    case .running where toldPresence != .running:
      journal.log(.announcer, toldPresence == nil ? .info : .notice, "the announcer answers")
    // Why it is absent may change from one attempt to the next.
    case .absent(let why) where toldPresence == nil || toldPresence == .running:
      journal.log(
        .announcerLost, .warning, "\(why); the clock is told of as offline until it is back")
      last = nil
    default: break
    }
    if toldPresence == nil || presence != toldPresence { toldPresence = presence }
    publishState()
    publishAvailability()
  }

  // MARK: Being told

  private func receive(_ message: MQTTMessage) {
    switch topics.destination(of: message.topic) {
    case .birth:
      guard message.payload == Array("online".utf8) else { return }
      journal.log(.homeAssistant, .info, "Home Assistant has started, and is told everything")
      published = [:]
      publishAll()
    case .nobody:
      reject(
        Rejection(.topic, "commands are sent to \(topics.command), with their name inside"),
        message.topic)
    case .command:
      // It clears what was retained there.
      guard !message.payload.isEmpty else { return }
      do throws(Rejection) {
        carryOut(try desk.take(message, at: .now), message.topic)
      } catch {
        reject(error, message.topic)
      }
    }
  }

  private func carryOut(_ order: Order, _ topic: String) {
    guard order.at != nil else { return send(order, topic) }
    do throws(Rejection) {
      try waitingRoom?.take(order, topic)
    } catch {
      desk.forget(order)
      reject(error, topic)
    }
  }

  private func send(_ order: Order, _ topic: String) {
    announcer?.call(order.call) { [unowned self] refused in
      guard var rejection = refused else {
        return journal.log(
          .command, .info, "carried out \(order.title.printable)",
          ["COMMAND": order.name, "ID": order.id, "TOPIC": topic])
      }
      // Sent again with the same id, it may go better; what may yet be done is not done twice.
      if rejection.kind != .timeout { desk.forget(order) }
      rejection = Rejection(rejection.kind, "'\(order.name)': \(rejection.words)")
      rejection.id = order.id
      reject(rejection, topic)
    }
  }

  private func reject(_ rejection: Rejection, _ topic: String) {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    let (tells, untold) = rejections.isNew(rejection, at: .seconds(time.tv_sec))
    if untold > 0 {
      journal.log(
        .rejected, .warning, "refused \(untold) more messages like those that were told",
        ["COUNT": String(untold)])
    }
    guard tells else { return }
    let what = rejection.id.map { "the command \"\($0)\"" } ?? "a message"
    journal.log(
      .rejected, .warning,
      "refused \(what) on \(topic.excerpt): \(rejection.words)".printable,
      ["REASON": rejection.kind.rawValue, "ID": rejection.id, "TOPIC": topic])
  }
}
