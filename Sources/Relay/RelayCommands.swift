import Basics
import Daemon
import Horology

extension RelayService {
  /// A command for an instant is sent this much later than the announcer takes it.
  private static let margin = Duration.milliseconds(250)
  private static let mostWaiting = 64
  /// The pause between two attempts.
  private static let pause = Duration.milliseconds(250)
  private static let mostRejections = 64

  func receive(_ message: MQTTMessage) {
    switch topics.destination(of: message.topic) {
    case .birth:
      // A retained birth does not mean a start, and we have just published everything.
      if !message.isRetained, message.payload == Array("online".utf8) { republishAll() }
    case .nobody:
      refuse(
        message,
        Rejection(.topic, "commands are sent to \(topics.command), with their name inside"))
    case .command:
      // An empty message only clears a retained one.
      guard message.size > 0 else { return }
      do throws(Rejection) {
        let order = try reader.read(message, at: .now, clockIsUsed: announcer.state.clockIsUsed)
        carryOut(ReceivedCommand(order: order, topic: message.topic))
      } catch {
        refuse(message, error)
      }
    }
  }

  private func refuse(_ message: MQTTMessage, _ rejection: Rejection) {
    reject(rejection, message.topic)
    answer(.refused(rejection), id: rejection.id)
  }

  private func answer(_ outcome: CommandOutcome, id: String?) {
    broker?.send(topics.answer, outcome.payload(id: id), qos: 0)
  }

  /// A command that waits is answered over MQTT once more when its instant comes.
  func answer(_ command: ReceivedCommand, _ outcome: CommandOutcome) {
    command.answer?(outcome)
    if topics.commands.contains(command.topic) { answer(outcome, id: command.order.id) }
  }

  func carryOut(_ command: ReceivedCommand) {
    switch command.order.action {
    case .call: carryOutByClock(command)
    case .register(let device):
      changeDevices(command) { register throws(Fault) in
        try register.add([device], at: .now)
        return true
      }
    case .remove(let token):
      changeDevices(command) { register throws(Fault) in try register.remove(token: token) }
    }
  }

  private func carryOutByClock(_ command: ReceivedCommand) {
    if command.order.name == "stop" { cancelWaiting() }
    guard let instant = command.order.at else { return send(command) }
    guard waiting.count < Self.mostWaiting else {
      let why = "\(Self.mostWaiting) commands wait for their instants already"
      return refuse(command, Rejection(.full, why))
    }
    let added = WaitingCommand(command, instant)
    waiting.append(added)
    if due(added) > .now {
      // The answer over HTTP is that it waits.
      added.command.answer = nil
      publishState()
      log(.waiting, "took \(command.order.title) for \(instant.rfc3339)", command)
      answer(command, .waits(until: instant))
    }
    sendDue()
  }

  private func cancelWaiting() {
    guard !waiting.isEmpty else { return }
    let cancelled = waiting
    waiting = []
    publishState()
    for each in cancelled {
      let order = each.command.order
      // If it is sent again, it is wanted again.
      reader.forget(order)
      let why = "'stop' has cancelled"
      log(.waiting, "\(why) \(order.title) for \(each.instant.rfc3339)", each.command)
      answer(each.command, .refused(Rejection(.cancelled, "\(why) it")))
    }
  }

  // MARK: The announcer

  private func send(_ command: ReceivedCommand) {
    guard case .call(let method, let request) = command.order.action else { return }
    announcer.call(method, request) { [unowned self] answer in
      switch answer {
      case .success(let told): done(command, told)
      case .failure(let rejection): refuse(command, rejection)
      }
    }
  }

  /// When a command is sent, for the first time or again.
  private func due(_ waiting: WaitingCommand) -> Instant {
    waiting.retry ?? waiting.instant + (Self.margin - announcer.state.requestAhead)
  }

  /// Sends the commands whose instants are near, and waits for the next.
  func sendDue() {
    for each in waiting where !each.isSent && due(each) <= .now { send(each) }
    let next = waiting.filter { !$0.isSent }.map { due($0) }.min()
    waitingTimer = next.flatMap {
      try? loop.atUTC(microseconds: $0.microseconds) { [unowned self] in sendDue() }
    }
  }

  private func send(_ waiting: WaitingCommand) {
    let (command, instant) = (waiting.command, waiting.instant)
    guard case .call(let method, let request) = command.order.action else { return }
    guard instant > .now else {
      let why = "its instant \(instant.rfc3339) passed before it could be carried out"
      return give(up: waiting, Rejection(.past, why))
    }
    waiting.isSent = true
    announcer.call(method, request) { [unowned self] answer in
      // Perhaps it was cancelled meanwhile.
      guard self.waiting.contains(where: { $0 === waiting }) else { return }
      switch answer {
      case .success(let told):
        forget(waiting)
        done(command, told)
      case .failure(let refused) where refused.kind == .busy || refused.kind == .absent:
        waiting.isSent = false
        waiting.before = waiting.before ?? refused
        waiting.retry = .now + Self.pause
        sendDue()
      case .failure(let refused): give(up: waiting, refused)
      }
    }
  }

  /// The first reason says more than that it is now too late.
  private func give(up waiting: WaitingCommand, _ why: Rejection) {
    forget(waiting)
    refuse(waiting.command, waiting.before ?? why)
  }

  private func forget(_ command: WaitingCommand) {
    waiting.removeAll { $0 === command }
    publishState()
  }

  private func done(_ command: ReceivedCommand, _ told: Record) {
    let order = command.order
    // An interval is not new if the same one runs already.
    guard told[Horology.Request.Keys.isNew] != false else {
      log(.command, "\(order.title) changed nothing: the same one runs already", command)
      answer(command, .unchanged)
      return
    }
    let handed = order.at.map { "handed \(order.title) to the clock for \($0.rfc3339)" }
    log(.command, handed ?? "carried out \(order.title)", command)
    answer(command, .done(told))
  }

  func refuse(_ command: ReceivedCommand, _ why: Rejection) {
    // Allow the same id again, except after a timeout: the announcer may still carry that call out.
    if why.kind != .timeout { reader.forget(command.order) }
    let rejection = command.order.rejection(why)
    reject(rejection, command.topic)
    answer(command, .refused(rejection))
  }

  // MARK: The journal

  func log(_ event: RelayEvent, _ words: String, _ command: ReceivedCommand) {
    journal.log(
      event, .info, words.printable,
      ["COMMAND": command.order.name, "ID": command.order.id, "TOPIC": command.topic])
  }

  /// Logs each cause once an hour.
  func reject(_ rejection: Rejection, _ topic: String) {
    if uptime - toldRejections.since > .seconds(3600) { toldRejections = ([], uptime) }
    // Causes that are made up must not fill the journal.
    guard toldRejections.causes.count < Self.mostRejections,
      toldRejections.causes.insert(rejection).inserted
    else { return }
    let what = rejection.id.map { "the command \"\($0)\"" } ?? "a message"
    journal.log(
      .rejected, .warning,
      "refused \(what) on \(topic.excerpt): \(rejection.words)".printable,
      ["REASON": rejection.reason, "ID": rejection.id, "TOPIC": topic])
  }
}

/// A command for an instant, until the announcer has answered.
final class WaitingCommand {
  var command: ReceivedCommand
  let instant: Instant
  var isSent = false
  /// When it is sent again, because the announcer was busy or absent.
  var retry: Instant?
  /// Why the announcer did not take it at first.
  var before: Rejection?

  init(_ command: ReceivedCommand, _ instant: Instant) {
    self.command = command
    self.instant = instant
  }
}
