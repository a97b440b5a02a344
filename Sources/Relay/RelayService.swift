import Basics
import Daemon
@preconcurrency import Glibc
import Horology
import Vocabulary

/// The relay: wires the owners of its state, and passes on what happens.
public final class RelayService {
  let loop: EventLoop
  let journal = Journal()
  private let notifier = Notifier()
  private let path: String?
  private(set) var configuration: RelayConfiguration
  private var sources: [EventSource] = []

  private(set) lazy var announcer = AnnouncerLink(self)
  private(set) lazy var register = OpenRegister(loop, journal) { [unowned self] in
    door.opened?.phones?.read()
    pushes.publisher?.read()
  }
  private(set) lazy var broker = BrokerLink(self)
  private(set) lazy var commands = Commands(self)
  private(set) lazy var rejections = RejectionLog(journal)
  private(set) lazy var door = Door(self)
  private lazy var pushes = Pushes(self)

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
    notifier.ready("connecting to \(configuration.broker.words)")
    announcer.connect()
    broker.connect()
    commands.restore()
    pushes.start()
    door.open()
    if let allowed = Notifier.watchdogInterval {
      sources.append(try loop.every(allowed / 2) { [unowned self] in notifier.isAlive() })
    }
    try loop.run()
  }

  private func stop() {
    journal.log(.stopping, .info, "stopping")
    notifier.stopping()
    door.close()
    broker.disconnect()
    loop.exit()
  }

  private func reload() {
    notifier.reloading()
    do throws(Fault) {
      let new = try RelayConfiguration.load(path: path)
      // Retry an unreachable broker at once: its password or certificate may have changed.
      let connects =
        new.broker != configuration.broker || new.topics != topics || broker.isConnected == false
      if connects {
        if new.broker.name != configuration.broker.name { broker.leave() }
        broker.disconnect()
      }
      configuration = new
      if connects { broker.connect() }
      // Keys, secrets and certificates are in files of their own, which may have changed.
      pushes.start()
      door.open()
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

  /// As in `connected to homeassistant.local:1883, the announcer runs`.
  func tellStatus() {
    let name = configuration.broker.name
    let reaches =
      switch broker.isConnected {
      case nil: "no broker"
      case true?: "connected to \(name)"
      case false?: "\(name) is not reached"
      }
    notifier.status("\(reaches), \(announcer.absence ?? "the announcer runs")")
  }

  /// The state as JSON, while the announcer runs.
  var stateForApps: Result<String, Rejection> {
    if let why = announcer.absence { return .failure(Rejection(.absent, why)) }
    return .success(announcer.state.payload(waiting: commands.waitingOrders))
  }

  func publishState() {
    let state = stateForApps
    if case .success(let state) = state { broker.publish(state: state) }
    door.opened?.streams.show(state)
  }

  // MARK: What happens

  func connectedToBroker() {
    broker.connected()
    tellStatus()
    commands.look()
  }

  func receive(_ payload: [UInt8], on topic: String, _ isRetained: Bool) {
    guard topic == topics.birth else {
      return commands.receive(payload, on: topic, isRetained: isRetained)
    }
    // A retained birth does not mean a start, and we have just published everything.
    guard !isRetained, payload == Array("online".utf8) else { return }
    journal.log(
      .homeAssistant, .info, "Home Assistant has started; everything is published again")
    broker.publishAll(again: true)
  }

  /// The announcer's state was told, or it came or went.
  func announcerChanged() {
    commands.look()
    pushes.lookAhead()
    broker.publishAll()
    tellStatus()
  }

  func heard(_ notice: Record) {
    door.show(notice: notice)
    guard let (name, words, fields) = Notice.parts(of: notice), let event = JournalEvent(key: name)
    else { return }
    if [.started, .reloaded, .setting].contains(event) { door.opened?.renderer.forget() }
    if Discovery.rings.contains(event) { broker.publish(ring: event, words, fields) }
    pushes.publish(event, words, fields)
  }
}
