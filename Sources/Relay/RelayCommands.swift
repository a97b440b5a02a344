import Basics
import Daemon
import Horology

extension RelayService {
  /// A command for an instant is sent this much later than the announcer takes it.
  private static let margin = Duration.milliseconds(250)
  private static let mostWaiting = 64
  private static let pause = Duration.milliseconds(250)
  private static let mostRejections = 64

  func receive(_ payload: [UInt8], on topic: String, _ isRetained: Bool) {
    func refuse(_ rejection: Rejection) {
      reject(rejection, topic)
      answer(.refused(rejection), id: nil)
    }
    if topic == topics.birth {
      // A retained birth does not mean a start, and we have just published everything.
      if !isRetained, payload == Array("online".utf8) { republishAll() }
    } else if !topics.commands.contains(topic) {
      refuse(Rejection(.topic, "commands are sent to \(topics.command), with their name inside"))
    } else if payload.isEmpty {
      // It only clears a retained one.
    } else if isRetained {
      let why = "the broker has kept it and hands it over at every connection"
      refuse(Rejection(.retained, "\(why); send commands without retain"))
    } else if payload.count > Order.largestPayload {
      let why = "it has \(payload.count) bytes; at most \(Order.largestPayload) are read"
      refuse(Rejection(.large, why))
    } else {
      carryOut(payload, from: topic)
    }
  }

  /// Carries out a command that came over MQTT or HTTP.
  /// - Parameters:
  ///   - source: the topic, or the path.
  ///   - known: keys of the command that the path tells.
  ///   - answer: an app's; nil over MQTT.
  func carryOut(
    _ payload: [UInt8], from source: String, with known: Record = Record(),
    _ answer: ((CommandOutcome) -> Void)? = nil
  ) {
    do throws(Rejection) {
      let order = try reader.read(
        payload, at: .now, clockIsUsed: announcer.state.clockIsUsed, with: known)
      (order.source, order.answer) = (source, answer)
      carryOut(order)
    } catch {
      reject(error, source)
      if let answer { answer(.refused(error)) } else { self.answer(.refused(error), id: error.id) }
    }
  }

  private func answer(_ outcome: CommandOutcome, id: String?) {
    broker?.publish(topics.answer, outcome.payload(id: id), qos: 0, isRetained: false)
  }

  /// A command that waits is answered over MQTT once more when its instant comes.
  func answer(_ order: Order, _ outcome: CommandOutcome) {
    order.answer?(outcome)
    order.answer = nil
    if topics.commands.contains(order.source) { answer(outcome, id: order.id) }
  }

  private func carryOut(_ order: Order) {
    switch order.action {
    case .request: carryOutByClock(order)
    case .register(let device):
      changeDevices(order) { register throws(Fault) in
        try register.add([device], at: .now)
        return true
      }
    case .remove(let token):
      changeDevices(order) { register throws(Fault) in try register.remove(token: token) }
    }
  }

  private func carryOutByClock(_ order: Order) {
    if order.name == "stop" { cancelWaiting() }
    guard let instant = order.at else { return send(order) }
    guard waiting.count < Self.mostWaiting else {
      let why = "\(Self.mostWaiting) commands wait for their instants already"
      return refuse(order, Rejection(.full, why))
    }
    let source = order.source
    order.number = try? register.opened().keep(command: order.record.json, from: source)
    waiting.append(order)
    if due(order, at: instant) > .now {
      publishState()
      log(.waiting, "took \(order.title) for \(instant.rfc3339)", order)
      answer(order, .waits(until: instant))
    }
    sendDue()
  }

  /// Takes up the commands that waited when the relay ended. One that the clock has already changes
  /// nothing there.
  func takeUpWaiting() {
    for kept in (try? register.opened().waiting()) ?? [] {
      guard let order = reader.restore(kept.command) else {
        try? register.opened().removeWaiting(kept.number)
        continue
      }
      (order.source, order.number, order.isRestored) = (kept.source, kept.number, true)
      waiting.append(order)
    }
    sendDue()
  }

  /// The clock has started or ended, and has forgotten what it was handed. It takes none twice.
  func handOverAgain() {
    for order in waiting where order.isHanded {
      (order.isHanded, order.isSent, order.retry) = (false, false, nil)
    }
    sendDue()
  }

  private func cancelWaiting() {
    let cancelled = waiting
    waiting = []
    publishState()
    cancelled.forEach(drop)
    for order in cancelled {
      // If it is sent again, it is wanted again.
      reader.forget(order)
      let why = "'stop' has cancelled"
      log(.waiting, "\(why) \(order.title) for \(order.at?.rfc3339 ?? "")", order)
      answer(order, .refused(Rejection(.cancelled, "\(why) it")))
    }
  }

  /// When a command is sent, for the first time or again.
  private func due(_ order: Order, at instant: Instant) -> Instant {
    order.retry ?? instant + (Self.margin - announcer.state.requestAhead)
  }

  func sendDue() {
    func isPast(_ order: Order) -> Bool { order.at! <= .now }
    for order in waiting where order.isHanded && isPast(order) {
      stopWaiting(order)
      answer(order, .done(order.told))
    }
    // Whether it was lost is told when that is known, and somebody can hear it.
    func isSilent(_ order: Order) -> Bool {
      isPast(order)
        && (order.isRestored && (!isRunning || announcer.state.isPlaying)
          || topics.commands.contains(order.source) && broker?.isConnected == false)
    }
    func next() -> (order: Order, due: Instant)? {
      waiting.filter { !$0.isSent && !isSilent($0) }.map { ($0, due($0, at: $0.at!)) }
        .min { $0.1 < $1.1 }
    }
    while let next = next(), next.due <= .now { send(next.order) }
    let instants = [next()?.due].compactMap { $0 } + waiting.filter(\.isHanded).map { $0.at! }
    waitingTimer = instants.min().flatMap {
      try? loop.atUTC(microseconds: $0.microseconds) { [unowned self] in sendDue() }
    }
  }

  private func drop(_ order: Order) {
    if let number = order.number { try? register.opened().removeWaiting(number) }
  }

  private func send(_ order: Order) {
    guard case .request(let request) = order.action else { return }
    if let instant = order.at, instant <= .now {
      if order.isRestored, announcer.state.lastAnchor == instant {
        return stopWaiting(order)
      }
      let why = "its instant \(instant.rfc3339) passed before it could be carried out"
      return refuse(order, Rejection(.past, why))
    }
    order.isSent = true
    announcer.call(request) { [unowned self] answer in
      // Perhaps it was cancelled meanwhile.
      guard order.at == nil || waiting.contains(where: { $0 === order }) else { return }
      switch answer {
      case .success(let told): done(order, told)
      // The clock may have it already, which is no second one there.
      case .failure(let why)
      where order.at != nil && [.busy, .absent, .timeout].contains(why.kind):
        order.isSent = false
        order.before = order.before ?? why
        order.retry = .now + Self.pause
        sendDue()
      case .failure(let why): refuse(order, why)
      }
    }
  }

  private func stopWaiting(_ order: Order) {
    guard order.at != nil else { return }
    waiting.removeAll { $0 === order }
    drop(order)
    publishState()
  }

  private func done(_ order: Order, _ told: Record) {
    if let instant = order.at {
      // It is done at its instant, if the clock does not end before.
      (order.isHanded, order.told) = (true, told)
      log(.command, "handed \(order.title) to the clock for \(instant.rfc3339)", order)
      publishState()
      return sendDue()
    }
    // An interval is not new if the same one runs already.
    guard told[Horology.Request.Keys.isNew] != false else {
      log(.command, "\(order.title) changed nothing: the same one runs already", order)
      return answer(order, .unchanged)
    }
    log(.command, "carried out \(order.title)", order)
    answer(order, .done(told))
  }

  func refuse(_ order: Order, _ why: Rejection) {
    stopWaiting(order)
    // The first reason says more than that it is now too late.
    let rejection = order.rejection(order.before ?? why)
    // Allow the same id again, except after a timeout: the announcer may still carry that call out.
    if rejection.kind != .timeout { reader.forget(order) }
    reject(rejection, order.source)
    answer(order, .refused(rejection))
  }

  func log(_ event: RelayEvent, _ words: String, _ order: Order) {
    journal.log(
      event, .info, words.printable,
      ["COMMAND": order.name, "ID": order.id, "TOPIC": order.source])
  }

  /// Logs each cause once an hour.
  func reject(_ rejection: Rejection, _ topic: String) {
    if uptime - toldRejections.since > .seconds(3600) { toldRejections = ([], uptime) }
    var cause = rejection
    cause.id = nil
    // Causes that are made up must not fill the journal.
    guard toldRejections.causes.count < Self.mostRejections,
      toldRejections.causes.insert(cause).inserted
    else { return }
    let what = rejection.id.map { "the command \"\($0)\"" } ?? "a message"
    journal.log(
      .rejected, .warning,
      "refused \(what) on \(topic.excerpt): \(rejection.words)".printable,
      ["REASON": rejection.reason, "ID": rejection.id, "TOPIC": topic])
  }
}
