import Basics
import Daemon
import Horology

/// Push messages over the network, for phones and programs.
extension RelayService {
  /// Publishes from now on to the configured receivers only.
  func startPush() {
    let push = configuration.push
    guard publisher != nil || !push.isEmpty else { return }
    if publisher == nil {
      publisher = Publisher(loop) { [unowned self] in journal.log($0, $1, $2, $3) }
    }
    var providers: [Provider] = []
    for (section, made) in push.providers(at: .now) {
      switch made {
      case .success(let provider): providers.append(provider)
      case .failure(let fault): journal.log(Notice(unusable: section, fault))
      }
    }
    publisher?.use(providers, of: push.lanes)
    lookAhead()
  }

  /// Call this when the announcer's next occasion may have changed.
  func lookAhead() {
    guard publisher != nil else { return }
    if ahead == nil {
      ahead = Ahead(loop) { [unowned self] in
        publisher?.publish($0.message(of: topics.name, at: .now))
      }
    }
    ahead?.look(
      at: isRunning ? announcer.state.nextOccasion : nil, isPlaying: announcer.state.isPlaying,
      lead: configuration.push.ahead)
  }

  /// Carries out a command that changes the registered devices.
  /// - Parameter change: returns false if there is no such device.
  func changeDevices(
    _ command: ReceivedCommand, _ change: (Publisher) throws(Fault) -> Bool
  ) {
    guard configuration.push.apns != nil, let publisher else {
      return refuse(command, Rejection(.refused, "no [apns] is configured for this clock"))
    }
    do throws(Fault) {
      guard try change(publisher) else {
        return refuse(command, Rejection(.unknown, "no device has this token"))
      }
      tell(.command, "carried out \(command.order.title)", command)
      answer(command, .done(Record()))
    } catch {
      refuse(command, Rejection(.register, error.description))
    }
  }

  /// Publishes a notice of the announcer, if it is to be told.
  func noticed(_ event: String, _ words: String, _ fields: [String: String]) {
    if let ring = RingEvent(event, words, fields) {
      broker?.send(topics.event, ring.payload, qos: 1)
    }
    // The events `switch` and `rtc` are everyday ones, except the first after a loss.
    switch event {
    case "switch_lost": lost.insert("switch")
    case "rtc_invalid", "rtc_missing": lost.insert("rtc")
    default: break
    }
    let isReturn = lost.remove(event) != nil
    guard let publisher,
      let message = PushMessage(
        notice: event, words, fields, isReturn: isReturn, clock: topics.name, at: .now),
      mayPublish(message.event)
    else { return }
    publisher.publish(message)
  }

  /// Limits the messages about devices and the clock's trust, which may come and go. A person's own
  /// settings, like timers and alarms, always pass.
  private func mayPublish(_ event: PushEvents) -> Bool {
    guard event == .trouble || event == .clock else { return true }
    let leftOut = publishThrottles[event.rawValue, default: Throttle()].pass(at: uptime)
    guard let leftOut else { return false }
    if leftOut > 0 {
      journal.log(
        .pushed, .notice,
        "left out \(leftOut) messages of the event \(event.text), for they came too fast",
        ["PUSH_EVENT": event.text, "COUNT": String(leftOut)])
    }
    return true
  }
}

extension Notice {
  /// A section of the configuration, as in `ntfy phone`, cannot be used.
  init(unusable section: String, _ fault: Fault) {
    self.init(
      .providerLost, .error, "\(fault); nothing is published there until it is put right",
      ["LANE": section, "DETAIL": fault.description])
  }
}

extension PushConfiguration {
  fileprivate var lanes: [Lane] {
    (apns == nil ? [] : Device.Environment.allCases.map { .apns($0) })
      + ntfy.keys.map { .ntfy($0) } + webhooks.keys.map { .webhook($0) }
  }

  /// The faults of the sections that cannot be used, by section name.
  public var faults: [String: Fault] {
    var faults: [String: Fault] = [:]
    for (section, made) in providers(at: .now) {
      if case .failure(let fault) = made { faults[section] = fault }
    }
    return faults
  }

  /// Every provider or its fault, with the name of its section.
  func providers(at now: Instant) -> [(section: String, made: Result<any Provider, Fault>)] {
    var made: [(String, Result<any Provider, Fault>)] = []
    func make(_ section: String, _ body: () throws(Fault) -> [any Provider]) {
      do throws(Fault) {
        made += try body().map { (section, .success($0)) }
      } catch {
        made.append((section, .failure(error)))
      }
    }
    if let apns {
      make("apns") { () throws(Fault) in
        // Both servers take the same token.
        let token = try apns.providerToken(at: now)
        return Device.Environment.allCases.map { APNsProvider($0, apns, token) }
      }
    }
    for (name, entry) in ntfy.sorted(by: { $0.key < $1.key }) {
      make("ntfy \(name)") { () throws(Fault) in [try NtfyProvider(name, entry)] }
    }
    for (name, entry) in webhooks.sorted(by: { $0.key < $1.key }) {
      make("webhook \(name)") { () throws(Fault) in [try WebhookProvider(name, entry)] }
    }
    return made
  }
}
