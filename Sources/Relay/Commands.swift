import Basics
import Daemon
import Horology

/// Carries out commands: those of the clock at once, or near the instants that they name, and those of
/// the relay itself.
final class Commands {
  private static let mostWaiting = 64

  private unowned let service: RelayService
  private var reader = CommandReader()
  /// In the order in which they came. The register has them, too.
  private var waiting: [WaitingCommand] = []
  private var timer: EventSource?

  init(_ service: RelayService) { self.service = service }

  private var clock: AnnouncerLink { service.announcer }

  /// The orders that the clock does not have yet.
  var waitingOrders: [Order] {
    waiting.filter { if case .handed = $0.stage { false } else { true } }.map(\.order)
  }

  /// Carries out a command that came over MQTT.
  func receive(_ payload: [UInt8], on topic: String, isRetained: Bool) {
    func refuse(_ why: Rejection) { reject(why, from: topic) }
    if !service.topics.commands.contains(topic) {
      let place = service.topics.command
      refuse(Rejection(.topic, "commands are sent to \(place), with their name inside"))
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
        payload, at: .now, clockIsUsed: clock.state.clockIsUsed, with: known)
      (order.source, order.answer) = (source, answer)
      carryOut(order)
    } catch {
      reject(error, from: source, answer)
    }
  }

  private func reject(
    _ why: Rejection, from source: String, _ answer: ((CommandOutcome) -> Void)? = nil
  ) {
    service.rejections.log(why, from: source)
    if let answer {
      answer(.refused(why))
    } else {
      service.broker.answer(.refused(why), id: why.id)
    }
  }

  private func carryOut(_ order: Order) {
    switch order.action {
    case .request(let request):
      if let instant = order.at { return keep(order, until: instant) }
      if order.name == "stop" { cancelWaiting() }
      clock.call(request) { [unowned self] answer in
        switch answer {
        case .success(let told): done(order, told)
        case .failure(let why): refuse(order, why)
        }
      }
    case .register(let device):
      changeDevices(order) { register throws(Fault) in
        try register.add([device], at: .now)
        return true
      }
    case .remove(let token):
      changeDevices(order) { register throws(Fault) in try register.remove(token: token) }
    }
  }

  private func done(_ order: Order, _ told: Record) {
    // An interval is not new if the same one runs already.
    guard told[Horology.Request.Keys.isNew] != false else {
      log(.command, "\(order.title) changed nothing: the same one runs already", order)
      return answer(order, .unchanged)
    }
    log(.command, "carried out \(order.title)", order)
    answer(order, .done(told))
  }

  /// - Parameter change: returns false if there is no such device.
  private func changeDevices(_ order: Order, _ change: (Register) throws(Fault) -> Bool) {
    guard service.configuration.push.apns != nil else {
      return refuse(order, Rejection(.refused, "no [apns] is configured for this clock"))
    }
    do throws(Fault) {
      guard try change(service.register.opened()) else {
        return refuse(order, Rejection(.unknown, "no device has this token"))
      }
      done(order, Record())
    } catch {
      refuse(order, Rejection(.register, error.description))
    }
  }

  private func refuse(_ order: Order, _ why: Rejection) {
    let rejection = order.rejection(why)
    // Allow the same id again, except after a timeout: the announcer may still carry that call out.
    if rejection.kind != .timeout { reader.forget(order) }
    service.rejections.log(rejection, from: order.source)
    answer(order, .refused(rejection))
  }

  private func isFromBroker(_ order: Order) -> Bool {
    service.topics.commands.contains(order.source)
  }

  /// A command that waits is answered over MQTT once more when its instant comes.
  private func answer(_ order: Order, _ outcome: CommandOutcome) {
    order.answer?(outcome)
    order.answer = nil
    if isFromBroker(order) { service.broker.answer(outcome, id: order.id) }
  }

  private func log(_ event: RelayEvent, _ words: String, _ order: Order) {
    service.journal.log(
      event, .info, words.printable,
      ["COMMAND": order.name, "ID": order.id, "TOPIC": order.source])
  }

  // MARK: Those for an instant

  private func keep(_ order: Order, until instant: Instant) {
    guard waiting.count < Self.mostWaiting else {
      let why = "\(Self.mostWaiting) commands wait for their instants already"
      return refuse(order, Rejection(.full, why))
    }
    let command = WaitingCommand(
      order, at: instant,
      number: try? service.register.opened().keep(command: order.record.json, from: order.source))
    waiting.append(command)
    if let due = command.due(clock.state), due > .now {
      service.publishState()
      log(.waiting, "took \(order.title) for \(instant.rfc3339)", order)
      answer(order, .waits(until: instant))
    }
    look()
  }

  /// Takes up the commands that waited when the relay ended. One that the clock has already changes
  /// nothing there.
  func restore() {
    for kept in (try? service.register.opened().waiting()) ?? [] {
      guard let order = reader.restore(kept.command), let instant = order.at else {
        try? service.register.opened().removeWaiting(kept.number)
        continue
      }
      order.source = kept.source
      waiting.append(WaitingCommand(order, at: instant, number: kept.number, isRestored: true))
    }
    look()
  }

  /// The clock has started or ended. It takes no command twice.
  func handOverAgain() {
    for command in waiting {
      if case .handed = command.stage { command.stage = .kept() }
    }
    look()
  }

  private func cancelWaiting() {
    let cancelled = waiting
    end(cancelled)
    for order in cancelled.map(\.order) {
      // If it is sent again, it is wanted again.
      reader.forget(order)
      let why = "'stop' has cancelled"
      log(.waiting, "\(why) \(order.title) for \(order.at?.rfc3339 ?? "")", order)
      answer(order, .refused(Rejection(.cancelled, "\(why) it")))
    }
  }

  private func end(_ commands: [WaitingCommand]) {
    for command in commands {
      command.stage = .ended
      if let number = command.number { try? service.register.opened().removeWaiting(number) }
    }
    waiting.removeAll { $0.stage == .ended }
    service.publishState()
  }

  /// Does what is due. Called whenever that may have changed.
  func look() {
    let now = Instant.now
    for command in waiting {
      let isHeard = !isFromBroker(command.order) || service.broker.isConnected != false
      switch command.step(
        at: now, clock.state, isRunning: clock.isRunning, isHeard: isHeard)
      {
      case .send: send(command)
      case .done(let told):
        end([command])
        answer(command.order, .done(told))
      case .lost(let why):
        end([command])
        refuse(command.order, why)
      case nil: break
      }
    }
    let next = waiting.compactMap { $0.due(clock.state) }.filter { $0 > now }.min()
    timer = next.flatMap {
      try? service.loop.atUTC(microseconds: $0.microseconds) { [unowned self] in look() }
    }
  }

  private func send(_ command: WaitingCommand) {
    let order = command.order
    guard case .request(let request) = order.action else { return }
    command.stage = .sent
    clock.call(request) { [unowned self] answer in
      // Perhaps it was cancelled meanwhile.
      guard command.stage == .sent else { return }
      switch answer {
      case .success(let told):
        // It is done at its instant, if the clock does not end before.
        command.stage = .handed(told)
        log(.command, "handed \(order.title) to the clock for \(command.instant.rfc3339)", order)
        service.publishState()
      // The clock may have it already, which is no second one there.
      case .failure(let why) where [.busy, .absent, .timeout].contains(why.kind):
        command.fail(why, at: .now)
      case .failure(let why):
        end([command])
        // The first reason says more.
        refuse(order, command.failure ?? why)
      }
      look()
    }
  }
}
