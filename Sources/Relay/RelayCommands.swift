import Basics
import Daemon
import Horology

/// Handles the received messages.
extension RelayService {
  /// How long after its instant a command must have been heard: longer than a phrase takes. At a
  /// full minute an occasion may say it, so longer than noon takes.
  private static let hearing = (phrase: Duration.seconds(15), occasion: Duration.seconds(120))
  /// The pause between two attempts, and how long before its instant a command is no longer tried.
  private static let pause = Duration.milliseconds(250)
  private static let lastTry = Duration.milliseconds(350)

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
        let order = try desk.take(message, at: .now, clockIsUsed: announcer.state.clockIsUsed)
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
    case .cancel(let id): cancel(id, command)
    case .register(let device):
      changeDevices(command) { publisher throws(Fault) in
        try publisher.register(device)
        return true
      }
    case .remove(let token):
      changeDevices(command) { publisher throws(Fault) in try publisher.forget(token) }
    }
  }

  private func carryOutByClock(_ command: ReceivedCommand) {
    let order = command.order
    if order.name == "stop" {
      tellCancelled(cancelled(nil), by: command)
      // The stop silences them on purpose: do not report them as unheard.
      for number in awaitingSound.keys { timers[number] = nil }
      awaitingSound = [:]
    }
    guard let instant = order.at, instant - .now > WaitingRoom.lead else {
      return send(command)
    }
    do throws(Rejection) {
      var waiting = command
      waiting.answer = nil
      try waitingRoom.take(waiting, at: instant)
      keep()
      tell(.waiting, "took \(order.title) for \(instant.rfc3339)", command)
      publishState()
      answer(command, .waits(until: instant))
    } catch {
      refuse(command, error)
    }
  }

  private func cancel(_ id: String, _ command: ReceivedCommand) {
    let cancelled = cancelled(id)
    guard !cancelled.isEmpty else {
      return refuse(
        command, Rejection(.unknown, "no command with the id \"\(id.excerpt)\" waits"))
    }
    tellCancelled(cancelled, by: command)
    answer(command, .done(Record()))
  }

  /// Forgets commands that wait or are tried again: the one with this id, or, for nil, all.
  private func cancelled(_ id: String?) -> [ReceivedCommand] {
    var cancelled = waitingRoom.cancel(id)
    for (number, command) in retrying where id == nil || command.order.id == id {
      timers[number] = nil
      retrying[number] = nil
      cancelled.append(command)
    }
    guard id == nil else { return cancelled }
    // The announcer gets the stop after the calls that have left, and ends their soundings itself.
    // If it refuses a call, that is not tried again.
    cancelled += unanswered.sorted { $0.key < $1.key }.map(\.value)
    unanswered = [:]
    return cancelled
  }

  private func tellCancelled(_ cancelled: [ReceivedCommand], by command: ReceivedCommand) {
    guard !cancelled.isEmpty else { return }
    keep()
    for each in cancelled {
      // If it is sent again, it is wanted again.
      desk.forget(each.order)
      let instant = each.order.at?.rfc3339 ?? ""
      tell(
        .waiting, "'\(command.order.name)' has cancelled \(each.order.title) for \(instant)", each)
      answer(each, .refused(Rejection(.cancelled, "'\(command.order.name)' has cancelled it")))
    }
    publishState()
  }

  // MARK: The announcer

  /// Sends a waiting command whose instant is near.
  func sendDue(_ command: ReceivedCommand) {
    send(command)
    publishState()
  }

  /// - Parameter before: why the attempt before failed.
  private func send(_ command: ReceivedCommand, before: Rejection? = nil) {
    let order = command.order
    guard case .call(let call) = order.action else { return }
    if let instant = order.at, instant <= .now {
      let why = "its instant \(instant.rfc3339) passed before it could be carried out"
      return refuse(command, before ?? Rejection(.past, why))
    }
    lastNumber += 1
    let number = lastNumber
    if order.at != nil { unanswered[number] = command }
    announcer.call(call, expires: order.expires) { [unowned self] answer in
      let isWanted = unanswered.removeValue(forKey: number) != nil || order.at == nil
      guard isWanted else { return }
      let refused: Rejection
      switch answer {
      case .success(let answer): return done(command, answer)
      case .failure(let rejection): refused = rejection
      }
      let mayEnd = refused.kind == .busy || refused.kind == .absent
      if let instant = order.at, mayEnd, instant - .now > Self.lastTry {
        let retry = after(Self.pause) { [unowned self] in send(command, before: refused) }
        retrying[retry] = command
        keep()
      } else {
        // The reason of the attempt before says more than that it is now too late.
        let isJudged = refused.kind == .refused || refused.kind == .value
        refuse(command, isJudged ? before ?? refused : refused)
      }
    }
  }

  /// - Parameter told: the announcer's answer.
  private func done(_ command: ReceivedCommand, _ told: Record) {
    let order = command.order
    keep()
    // An interval is not new if the same one runs already.
    guard told[Horology.Request.Keys.isNew] != false else {
      tell(.command, "\(order.title) changed nothing: the same one runs already", command)
      answer(command, .unchanged)
      return
    }
    let handed = order.at.map { "handed \(order.title) to the clock for \($0.rfc3339)" }
    tell(.command, handed ?? "carried out \(order.title)", command)
    answer(command, .done(told))
    guard let instant = order.at else { return }
    // A clock step, the switch or a slow speaker may still prevent it.
    let hearing =
      instant.microseconds % 60_000_000 == 0 ? Self.hearing.occasion : Self.hearing.phrase
    let number = after(instant - .now + hearing) { [unowned self] in
      journal.log(
        .unheard, .warning,
        "\(order.title) was taken for \(instant.rfc3339), and was not heard then; the journal of "
          + "clocksmith says why", ["ID": order.id, "TOPIC": command.topic])
    }
    var taken = command
    taken.answer = nil
    awaitingSound[number] = (instant, taken)
  }

  /// Sends again what an announcer had taken that has ended before the instant.
  func sendAgain() {
    for (number, taken) in awaitingSound where taken.instant - .now > Self.lastTry {
      awaitingSound[number] = nil
      timers[number] = nil
      send(taken.command)
    }
  }

  /// An announcement was heard that began at this instant.
  func noteHeard(at instant: Instant) {
    for (number, taken) in awaitingSound where taken.instant == instant {
      awaitingSound[number] = nil
      timers[number] = nil
    }
  }

  /// Runs `body` once, later.
  @discardableResult
  private func after(_ span: Duration, _ body: @escaping () -> Void) -> Int {
    lastNumber += 1
    let number = lastNumber
    timers[number] = try? loop.after(span) { [unowned self] in
      timers[number] = nil
      retrying[number] = nil
      awaitingSound[number] = nil
      body()
    }
    return number
  }

  func refuse(_ command: ReceivedCommand, _ why: Rejection) {
    keep()
    // Allow the same id again, except after a timeout: the announcer may still carry that call out.
    if why.kind != .timeout { desk.forget(command.order) }
    let rejection = command.order.rejection(why)
    reject(rejection, command.topic)
    answer(command, .refused(rejection))
  }

  // MARK: The journal

  func tell(_ event: RelayEvent, _ words: String, _ command: ReceivedCommand) {
    guard let more = commandEntries.suffix(at: uptime) else { return }
    journal.log(
      event, .info, "\(words)\(more)".printable,
      ["COMMAND": command.order.name, "ID": command.order.id, "TOPIC": command.topic])
  }

  func reject(_ rejection: Rejection, _ topic: String) {
    if rejections.isEmpty {
      rejectionTimer = try? loop.after(Rejections.span) { [unowned self] in tellUntold() }
    }
    guard rejections.isNew(rejection) else { return }
    let what = rejection.id.map { "the command \"\($0)\"" } ?? "a message"
    journal.log(
      .rejected, .warning,
      "refused \(what) on \(topic.excerpt): \(rejection.words)".printable,
      ["REASON": rejection.reason, "ID": rejection.id, "TOPIC": topic])
  }

  /// Ends the hour in which each cause was logged once.
  private func tellUntold() {
    let untold = rejections.untold
    rejections = Rejections()
    guard untold > 0 else { return }
    let messages = untold == 1 ? "1 more message" : "\(untold) more messages"
    journal.log(
      .rejected, .warning, "refused \(messages) in the last hour, like those in the journal",
      ["COUNT": String(untold)])
  }
}
