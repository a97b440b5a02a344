import Basics
import Daemon
@preconcurrency import Glibc

/// The relay: its parts, put together. What it does with commands is in RelayCommands.swift.
public final class RelayService {
  let loop: EventLoop
  let journal = Journal()
  private let notifier = Notifier()
  private let path: String?
  private(set) var configuration: RelayConfiguration
  var topics: Topics
  private(set) var broker: BrokerLink?
  private(set) var announcer: AnnouncerLink?
  private var sources: [EventSource] = []

  var desk = CommandDesk()
  var waitingRoom: WaitingRoom?
  /// Commands that are tried again in a moment, and those that are to be heard soon.
  var timers: [Int: EventSource] = [:]
  var tried: [Int: WaitingRoom.Guest] = [:]
  /// Commands with an instant that the announcer has not answered yet.
  var asked: [Int: WaitingRoom.Guest] = [:]
  var expected: [Int: UTCTime] = [:]
  var timerCount = 0
  var rejections = Rejections()
  var rejectionTimer: EventSource?
  var doneBudget = LogBudget()
  private var birthBudget = LogBudget()
  var publisher: Publisher?
  var ahead: Ahead?
  var publishBudgets: [PushEvents.RawValue: LogBudget] = [:]
  /// The events that tell of the return of what is lost.
  var lost: Set<String> = []
  var door: HTTPDoor?
  var doorTimer: EventSource?
  /// Why the door cannot be opened, as the journal was told.
  var doorFault: Fault?
  private var last: LastAnnouncement?
  /// What the broker keeps for us, by topic.
  private var published: [String: String] = [:]
  /// How often topics of a former name were published as empty, and that was not confirmed.
  private var goodbyes: [String: Int] = [:]
  private static let mostGoodbyes = 3
  private var memory = RelayMemory()
  private let memoryPath = RelayMemory.pathOfService
  private var memoryFault: Fault?
  /// As the journal knows it; nil before the first answer.
  private var toldPresence: AnnouncerLink.Presence?

  /// - Parameter path: of the configuration; nil for the usual one.
  /// - Throws: `Fault` if the configuration is wrong, or there can be no loop.
  public init(path: String?) throws(Fault) {
    self.path = path
    configuration = try RelayConfiguration.load(path: path)
    topics = configuration.topics
    loop = try EventLoop()
  }

  /// Serves until SIGTERM or SIGINT.
  /// - Throws: `Fault` if the loop cannot go on.
  public func run() throws(Fault) {
    for signal in [SIGTERM, SIGINT] {
      sources.append(try loop.whenSignalled(signal) { [unowned self] in stop() })
    }
    sources.append(try loop.whenSignalled(SIGHUP) { [unowned self] in reload() })
    for signal in EventLoop.meaningless { Glibc.signal(signal, SIG_IGN) }
    let announcer = AnnouncerLink(
      loop, changed: { [unowned self] in lookAtAnnouncer() },
      announced: { [unowned self] in heard($0) },
      noticed: { [unowned self] in noticed($0, $1, $2) })
    self.announcer = announcer
    waitingRoom = WaitingRoom(loop) { [unowned self] in leave($0) }
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
    announcer.end()
  }

  private func connect() {
    // Without one, there is what is published.
    guard !configuration.broker.host.isEmpty else { return }
    let broker = BrokerLink(
      loop, journal, configuration.broker, topics, connected: { [unowned self] in greet() },
      lost: { [unowned self] in tellStatus() }, received: { [unowned self] in receive($0) },
      confirmed: { [unowned self] in confirmed($0) }, caughtUp: { [unowned self] in publishAll() })
    self.broker = broker
    broker.connect()
  }

  private func disconnect() {
    // If there is no room for that, the broker says it: a connection that breaks has a will.
    let isTold = broker?.publish(topics.availability, "offline") == true
    broker?.disconnect(saysGoodbye: isTold)
  }

  private func stop() {
    journal.log(.stopping, .info, "stopping\(wordsOfWaiting)")
    notifier.stopping()
    closeDoor()
    disconnect()
    guard let publisher else { return loop.exit() }
    publisher.stop { [unowned self] in loop.exit() }
  }

  /// As in `; 3 commands wait for their instants and are kept`.
  private var wordsOfWaiting: String {
    let count = kept.count
    guard count > 0 else { return "" }
    let isKept = memoryPath != nil && memoryFault == nil
    let what = count == 1 ? "1 command waits for its instant" : "\(count) commands wait"
    return "; \(what), \(isKept ? "" : "not ")kept on the disk"
  }

  private func reload() {
    notifier.reloading()
    do throws(Fault) {
      let new = try RelayConfiguration.load(path: path)
      // One that cannot be reached is tried at once: its password or certificate may be another.
      let connects =
        new.broker != configuration.broker || new.topics != topics || broker?.isConnected == false
      if connects { disconnect() }
      configuration = new
      if connects {
        broker = nil
        goodbyes = [:]
        topics = new.topics
        connect()
      }
      // Its keys and secrets are in files of their own, which may be others by now.
      startPush()
      // The files of the token and the certificate may be others.
      openDoor()
      journal.log(
        .reloaded, .info, "reloaded: \(topics.clock) at \(configuration.broker.words)")
    } catch {
      journal.log(
        .reloaded, .warning, "\(error); it goes on as configured before",
        ["DETAIL": error.description])
    }
    notifier.ready("connecting to \(configuration.broker.words)")
    tellStatus()
  }

  // MARK: The memory

  /// Takes up what a relay before this one has kept.
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
      desk.remember(order)
      try? waitingRoom?.take(.init(order: order, topic: waiting.topic), at: instant)
    }
    let count = waitingRoom?.guests.count ?? 0
    if count > 0 { journal.log(.waiting, .info, "commands that wait for their instants: \(count)") }
  }

  /// What waits for its instant, or is tried until then.
  private var kept: [WaitingRoom.Guest] {
    (waitingRoom?.guests ?? []) + tried.values + asked.values
  }

  /// Keeps what there is to keep.
  /// - Parameter retained: nil for what it was.
  func keep(retained: [String]? = nil) {
    var memory = memory
    memory.retained = retained ?? memory.retained
    // In an order that does not change with every attempt, or each would be written.
    memory.waiting = kept.map { .init(topic: $0.topic, line: $0.order.line) }.sorted()
    guard memory != self.memory else { return }
    self.memory = memory
    guard let memoryPath else { return }
    do throws(Fault) {
      try memory.save(memoryPath)
      memoryFault = nil
    } catch {
      if memoryFault == nil {
        journal.log(
          .memory, .warning, "\(error); the commands that wait would not outlast a restart",
          ["DETAIL": error.description])
      }
      memoryFault = error
    }
  }

  // MARK: Telling

  /// The broker has let us in: what it kept may be old, or gone.
  private func greet() {
    published = [:]
    broker?.subscribe(to: topics.filters)
    keep(retained: topics.retained + leftBehind)
    publishAll()
  }

  /// Topics of a clock that had another name, as long as the broker has not confirmed their end.
  private var leftBehind: [String] {
    let current = topics.retained
    return memory.retained.filter { !current.contains($0) }
  }

  /// The broker has what was published there last.
  private func confirmed(_ topic: String) {
    let left = leftBehind
    goodbyes[topic] = nil
    if left.contains(topic) { keep(retained: topics.retained + left.filter { $0 != topic }) }
  }

  /// Nobody is to see anything any more at the topics of a former name. A broker that throws us out
  /// for it is not tried again and again.
  private func takeLeave() {
    for topic in leftBehind where published[topic] == nil {
      let attempts = goodbyes[topic, default: 0]
      if attempts < Self.mostGoodbyes {
        publish(topic, "")
        if published[topic] != nil { goodbyes[topic] = attempts + 1 }
      } else if attempts == Self.mostGoodbyes {
        goodbyes[topic] = attempts + 1
        journal.log(
          .memory, .warning,
          "the broker keeps \(topic.excerpt) of a former name and did not let it be cleared; it is "
            + "tried again when the relay starts", ["TOPIC": topic])
      }
    }
  }

  private func publishAll() {
    takeLeave()
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
    guard let broker else {
      return notifier.status("no broker, the announcer \(isRunning ? "runs" : "does not run")")
    }
    let reaches =
      broker.isConnected ? "connected to \(broker.name)" : "\(broker.name) is not reached"
    notifier.status("\(reaches), the announcer \(isRunning ? "runs" : "does not run")")
  }

  func publishState() {
    if let state { publish(topics.state, state) }
  }

  /// Nil while the announcer does not run.
  var state: String? {
    guard let announcer, isRunning else { return nil }
    let waiting = (waitingRoom?.guests ?? []).map(\.order)
    return AnnouncerState(announcer.properties, last: last, waiting: waiting).payload
  }

  private func heard(_ announcement: LastAnnouncement) {
    last = announcement
    meet(announcement.at)
    publishState()
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
    lookAhead()
    publishState()
    publishAvailability()
  }

  /// Home Assistant has started, and knows nothing.
  func welcome() {
    // Whoever makes it up again and again is not answered each time.
    guard let untold = birthBudget.spend(at: Self.uptime) else { return }
    let more = untold > 0 ? ", \(untold) more times before that" : ""
    journal.log(
      .homeAssistant, .info, "Home Assistant has started\(more), and is told everything")
    published = [:]
    publishAll()
  }

  /// `CLOCK_BOOTTIME`, in whole seconds.
  static var uptime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return .seconds(time.tv_sec)
  }
}

extension RelayConfiguration.Broker {
  /// As in `homeassistant.local:8883, TLS`.
  fileprivate var words: String {
    host.isEmpty ? "no broker" : "\(host):\(port)\(usesTLS ? ", TLS" : "")"
  }
}
