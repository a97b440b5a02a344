import Basics
import Daemon
import Horology

/// Handles the received messages.
extension RelayService {
  /// How long before its instant the announcer gets a command: less than the 5 s that it allows, and
  /// more than any speaker needs. It prepares the command, and begins with the frame of the instant.
  private static let lead = Duration.milliseconds(4_750)
  /// How many commands may wait for their instants.
  private static let mostWaiting = 64
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
        let order = try reader.take(message, at: .now, clockIsUsed: announcer.state.clockIsUsed)
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
      // The announcer gets the stop after the calls that have left, and ends their soundings itself.
      // What it has taken is silenced on purpose: do not report it as unheard.
      tellCancelled(cancelled { $0.phase != .taken }, by: command)
      waiting = []
    }
    guard let instant = order.at else { return send(command) }
    let isNear = instant - .now <= Self.lead
    do throws(Rejection) {
      let waiting = try wait(for: instant, command, isNear: isNear)
      if isNear { return send(waiting) }
    } catch {
      return refuse(command, error)
    }
    keep()
    tell(.waiting, "took \(order.title) for \(instant.rfc3339)", command)
    publishState()
    answer(command, .waits(until: instant))
  }

  /// Adds a command to those that wait.
  /// - Parameter isNear: true if it is sent at once.
  /// - Throws: `Rejection` if too many wait already.
  @discardableResult
  func wait(
    for instant: Instant, _ command: ReceivedCommand, isNear: Bool = false
  ) throws(Rejection) -> WaitingCommand {
    var command = command
    // The answer over HTTP is that it waits.
    if !isNear { command.answer = nil }
    let added = WaitingCommand(command, instant)
    if !isNear {
      guard commandsForLater.count < Self.mostWaiting else {
        throw Rejection(.full, "\(Self.mostWaiting) commands wait for their instants already")
      }
      let due = instant + (.zero - Self.lead)
      do throws(Fault) {
        added.timer = try loop.atUTC(microseconds: due.microseconds) {
          [unowned self, unowned added] in
          send(added)
          publishState()
        }
      } catch {
        throw Rejection(.full, error.description)
      }
    }
    waiting.append(added)
    return added
  }

  /// The commands that the announcer gets when their instants are near.
  var commandsForLater: [ReceivedCommand] {
    waiting.filter { $0.phase == .waiting }.map(\.command)
  }

  private func cancel(_ id: String, _ command: ReceivedCommand) {
    let cancelled = cancelled {
      $0.command.order.id == id && [.waiting, .retrying].contains($0.phase)
    }
    guard !cancelled.isEmpty else {
      return refuse(
        command, Rejection(.unknown, "no command with the id \"\(id.excerpt)\" waits"))
    }
    tellCancelled(cancelled, by: command)
    answer(command, .done(Record()))
  }

  /// Forgets the waiting commands that are chosen.
  private func cancelled(_ isChosen: (WaitingCommand) -> Bool) -> [ReceivedCommand] {
    let chosen = waiting.filter(isChosen)
    for each in chosen { forget(each) }
    return chosen.map(\.command)
  }

  private func forget(_ command: WaitingCommand) { waiting.removeAll { $0 === command } }

  private func tellCancelled(_ cancelled: [ReceivedCommand], by command: ReceivedCommand) {
    guard !cancelled.isEmpty else { return }
    keep()
    for each in cancelled {
      // If it is sent again, it is wanted again.
      reader.forget(each.order)
      let instant = each.order.at?.rfc3339 ?? ""
      tell(
        .waiting, "'\(command.order.name)' has cancelled \(each.order.title) for \(instant)", each)
      answer(each, .refused(Rejection(.cancelled, "'\(command.order.name)' has cancelled it")))
    }
    publishState()
  }

  // MARK: The announcer

  /// Sends a command without an instant.
  private func send(_ command: ReceivedCommand) {
    guard case .call(let call) = command.order.action else { return }
    announcer.call(call) { [unowned self] answer in
      switch answer {
      case .success(let told): done(command, told)
      case .failure(let rejection): refuse(command, rejection)
      }
    }
  }

  /// Sends a command whose instant is near.
  /// - Parameter before: why the attempt before failed.
  private func send(_ waiting: WaitingCommand, before: Rejection? = nil) {
    let (command, instant) = (waiting.command, waiting.instant)
    guard case .call(let call) = command.order.action else { return }
    guard instant > .now else {
      forget(waiting)
      let why = "its instant \(instant.rfc3339) passed before it could be carried out"
      return refuse(command, before ?? Rejection(.past, why))
    }
    waiting.phase = .sent
    waiting.timer = nil
    announcer.call(call) { [unowned self] answer in
      // Perhaps it was cancelled meanwhile.
      guard self.waiting.contains(where: { $0 === waiting }) else { return }
      switch answer {
      case .success(let told): taken(waiting, told)
      case .failure(let refused): tryAgain(waiting, refused, before: before)
      }
    }
  }

  /// The announcer has refused a command for an instant.
  private func tryAgain(_ waiting: WaitingCommand, _ refused: Rejection, before: Rejection?) {
    let mayEnd = refused.kind == .busy || refused.kind == .absent
    guard mayEnd, waiting.instant - .now > Self.lastTry else {
      forget(waiting)
      // The reason of the attempt before says more than that it is now too late.
      let isJudged = refused.kind == .refused || refused.kind == .value
      return refuse(waiting.command, isJudged ? before ?? refused : refused)
    }
    waiting.phase = .retrying
    waiting.timer = try? loop.after(Self.pause) { [unowned self, unowned waiting] in
      send(waiting, before: refused)
    }
    keep()
  }

  /// The announcer has taken a command for an instant.
  private func taken(_ waiting: WaitingCommand, _ told: Record) {
    let (order, instant) = (waiting.command.order, waiting.instant)
    waiting.phase = .taken
    done(waiting.command, told)
    waiting.command.answer = nil
    // A clock step, the switch or a slow speaker may still prevent it.
    let hearing =
      instant.microseconds % 60_000_000 == 0 ? Self.hearing.occasion : Self.hearing.phrase
    waiting.timer = try? loop.after(instant - .now + hearing) { [unowned self, unowned waiting] in
      journal.log(
        .unheard, .warning,
        "\(order.title) was taken for \(instant.rfc3339), and was not heard then; the journal of "
          + "clocksmith says why", ["ID": order.id, "TOPIC": waiting.command.topic])
      forget(waiting)
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
  }

  /// Sends again what an announcer had taken that has ended before the instant.
  func sendAgain() {
    for each in waiting where each.phase == .taken && each.instant - .now > Self.lastTry {
      send(each)
    }
  }

  /// An announcement was heard that began at this instant.
  func noteHeard(at instant: Instant) {
    waiting.removeAll { $0.phase == .taken && $0.instant == instant }
  }

  func refuse(_ command: ReceivedCommand, _ why: Rejection) {
    keep()
    // Allow the same id again, except after a timeout: the announcer may still carry that call out.
    if why.kind != .timeout { reader.forget(command.order) }
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
      rejectionTimer = try? loop.after(RejectionThrottle.span) { [unowned self] in tellUntold() }
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
    rejections = RejectionThrottle()
    guard untold > 0 else { return }
    let messages = untold == 1 ? "1 more message" : "\(untold) more messages"
    journal.log(
      .rejected, .warning, "refused \(messages) in the last hour, like those in the journal",
      ["COUNT": String(untold)])
  }
}

/// A command for an instant, until it was heard.
final class WaitingCommand {
  enum Phase {
    /// Until its instant is near.
    case waiting
    /// The announcer has not answered yet.
    case sent
    /// The announcer is busy or absent.
    case retrying
    /// The announcer has taken it, and it was not heard yet.
    case taken
  }

  var command: ReceivedCommand
  let instant: Instant
  var phase = Phase.waiting
  /// Of the end of the phase.
  var timer: EventSource?

  init(_ command: ReceivedCommand, _ instant: Instant) {
    self.command = command
    self.instant = instant
  }
}
