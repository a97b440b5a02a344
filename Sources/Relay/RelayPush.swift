import Basics
import Daemon
import Horology

extension RelayService {
  func startPush() {
    let push = configuration.push
    guard publisher != nil || !push.isEmpty else { return }
    if publisher == nil { publisher = Publisher(loop, journal, register) }
    let (providers, faults) = push.providers(at: .now)
    for (section, fault) in faults.sorted(by: { $0.key < $1.key }) {
      journal.log(
        .providerLost, .error, "\(fault); nothing is published there until it is put right",
        ["LANE": section, "DETAIL": fault.description])
    }
    publisher?.use(providers, of: push.lanes)
    lookAhead()
  }

  func lookAhead() {
    guard publisher != nil else { return }
    if ahead == nil {
      ahead = Ahead(loop) { [unowned self] in
        publisher?.publish($0.message(of: topics.name, at: .now))
      }
    }
    ahead?.awaitOccasion(
      isRunning ? announcer.state.nextOccasion : nil, isPlaying: announcer.state.isPlaying,
      lead: configuration.push.ahead)
  }

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
      log(.command, "carried out \(command.order.title)", command)
      answer(command, .done(Record()))
    } catch {
      refuse(command, Rejection(.register, error.description))
    }
  }

  func noticed(_ notice: Record) {
    guard let (event, words, fields) = Notice.parts(of: notice) else { return }
    if configuration.http != nil {
      let json = notices.add(notice, at: .now)
      door?.streams.send(notice: json)
    }
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
    return publishThrottles[event.rawValue, default: Throttle()].pass(at: uptime) != nil
  }
}

extension PushConfiguration {
  fileprivate var lanes: [Lane] {
    (apns == nil ? [] : Device.Environment.allCases.map { .apns($0) })
      + ntfy.keys.map { .ntfy($0) } + webhooks.keys.map { .webhook($0) }
  }

  public var faults: [String: Fault] { providers(at: .now).faults }

  /// - Returns: the providers, and the faults of the sections that cannot be used, by their names.
  func providers(at now: Instant) -> (providers: [any Provider], faults: [String: Fault]) {
    var providers: [any Provider] = []
    var faults: [String: Fault] = [:]
    func make(_ section: String, _ body: () throws(Fault) -> [any Provider]) {
      do throws(Fault) { providers += try body() } catch { faults[section] = error }
    }
    if let apns {
      make("apns") { () throws(Fault) in
        // Both servers take the same token.
        let token = try apns.providerToken(at: now)
        return Device.Environment.allCases.map { APNsProvider($0, apns, token) }
      }
    }
    for (name, entry) in ntfy {
      make("ntfy \(name)") { () throws(Fault) in [try NtfyProvider(name, entry)] }
    }
    for (name, entry) in webhooks {
      make("webhook \(name)") { () throws(Fault) in [try WebhookProvider(name, entry)] }
    }
    return (providers, faults)
  }
}
