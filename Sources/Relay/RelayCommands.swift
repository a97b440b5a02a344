import Basics
import Daemon

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
      if !message.isRetained, message.payload == Array("online".utf8) { welcome() }
    case .nobody:
      reject(
        Rejection(.topic, "commands are sent to \(topics.command), with their name inside"),
        message.topic)
    case .command:
      // An empty message only clears a retained one.
      guard message.size > 0 else { return }
      do throws(Rejection) {
        let order = try desk.take(message, at: .now, clockIsUsed: announcer.state.clockIsUsed)
        carryOut(WaitingRoom.Guest(order: order, topic: message.topic))
      } catch {
        reject(error, message.topic)
      }
    }
  }

  func carryOut(_ guest: WaitingRoom.Guest) {
    switch guest.order.action {
    case .call(let call): carryOut(guest, call)
    case .cancel(let id): cancel(id, guest)
    case .register(let device):
      changeDevices(guest) { publisher throws(Fault) in
        try publisher.register(device)
        return true
      }
    case .remove(let token):
      changeDevices(guest) { publisher throws(Fault) in try publisher.forget(token) }
    }
  }

  private func carryOut(_ guest: WaitingRoom.Guest, _ call: AnnouncerCall) {
    let order = guest.order
    if order.name == "stop" {
      tellCancelled(cancelled(nil), by: guest)
      // The stop silences them on purpose: do not report them as unheard.
      for number in expected.keys { timers[number] = nil }
      expected = [:]
    }
    guard let instant = order.at, instant - .now > WaitingRoom.lead else {
      return send(guest, call)
    }
    do throws(Rejection) {
      var resident = guest
      resident.answer = nil
      try waitingRoom.take(resident, call, at: instant)
      keep()
      tell(.waiting, "took \(order.title) for \(instant.text)", guest)
      publishState()
      guest.answer?(.waits(until: instant))
    } catch {
      desk.forget(order)
      var rejection = error
      rejection.id = order.id
      reject(rejection, guest)
    }
  }

  private func cancel(_ id: String, _ guest: WaitingRoom.Guest) {
    let cancelled = cancelled(id)
    guard !cancelled.isEmpty else {
      return reject(
        Rejection(.unknown, "'cancel': no command with the id \"\(id.excerpt)\" waits"), guest)
    }
    tellCancelled(cancelled, by: guest)
    guest.answer?(.done)
  }

  /// Forgets commands that wait or are tried again: the one with this id, or, for nil, all.
  private func cancelled(_ id: String?) -> [WaitingRoom.Guest] {
    var cancelled = waitingRoom.cancel(id)
    for (number, guest) in tried where id == nil || guest.order.id == id {
      timers[number] = nil
      tried[number] = nil
      cancelled.append(guest)
    }
    guard id == nil else { return cancelled }
    // The announcer gets the stop after these calls and ends their soundings itself. If it refuses
    // a call, that is not tried again.
    cancelled += asked.sorted { $0.key < $1.key }.map(\.value)
    asked = [:]
    return cancelled
  }

  private func tellCancelled(_ cancelled: [WaitingRoom.Guest], by guest: WaitingRoom.Guest) {
    guard !cancelled.isEmpty else { return }
    keep()
    for each in cancelled {
      // If it is sent again, it is wanted again.
      desk.forget(each.order)
      let instant = each.order.at?.text ?? ""
      tell(
        .waiting, "'\(guest.order.name)' has cancelled \(each.order.title) for \(instant)", each)
      each.answer?(.refused(Rejection(.cancelled, "'\(guest.order.name)' has cancelled it")))
    }
    publishState()
  }

  // MARK: The announcer

  /// Sends a waiting command whose instant is near.
  func leave(_ guest: WaitingRoom.Guest, _ call: AnnouncerCall) {
    send(guest, call)
    publishState()
  }

  /// - Parameter before: why the attempt before failed.
  private func send(
    _ guest: WaitingRoom.Guest, _ call: AnnouncerCall, before: Rejection? = nil
  ) {
    let order = guest.order
    if let instant = order.at, instant <= .now {
      let why = "its instant \(instant.text) passed before it could be carried out"
      return refuse(guest, before ?? Rejection(.past, why))
    }
    timerCount += 1
    let number = timerCount
    if order.at != nil { asked[number] = guest }
    announcer.call(call) { [unowned self] refused in
      let isWanted = asked.removeValue(forKey: number) != nil || order.at == nil
      guard isWanted else { return }
      guard let refused else { return done(guest, call) }
      let mayEnd = refused.kind == .busy || refused.kind == .absent
      if let instant = order.at, mayEnd, instant - .now > Self.lastTry {
        let retry = after(Self.pause) { [unowned self] in send(guest, call, before: refused) }
        tried[retry] = guest
        keep()
      } else {
        // The reason of the attempt before says more than that it is now too late.
        refuse(guest, refused.kind == .refused ? before ?? refused : refused)
      }
    }
  }

  private func done(_ guest: WaitingRoom.Guest, _ call: AnnouncerCall) {
    let order = guest.order
    keep()
    tell(.command, "carried out \(order.title)", guest)
    guest.answer?(.done)
    guard let instant = order.at else { return }
    // A clock step, the switch or a slow speaker may still prevent it.
    let hearing = instant.isFullMinute ? Self.hearing.occasion : Self.hearing.phrase
    let number = after(instant - .now + hearing) { [unowned self] in
      journal.log(
        .unheard, .warning,
        "\(order.title) was taken for \(instant.text), and was not heard then; the journal of "
          + "clocksmith says why", ["ID": order.id, "TOPIC": guest.topic])
    }
    var taken = guest
    taken.answer = nil
    expected[number] = (instant, taken, call)
  }

  /// Sends again what an announcer had taken that has ended before the instant.
  func sendAgain() {
    for (number, taken) in expected where taken.instant - .now > Self.lastTry {
      expected[number] = nil
      timers[number] = nil
      send(taken.guest, taken.call)
    }
  }

  /// An announcement was heard that began at this instant.
  func meet(_ instant: UTCTime) {
    for (number, taken) in expected where taken.instant == instant {
      expected[number] = nil
      timers[number] = nil
    }
  }

  /// Runs `body` once, later.
  @discardableResult
  private func after(_ span: Duration, _ body: @escaping () -> Void) -> Int {
    timerCount += 1
    let number = timerCount
    timers[number] = try? loop.after(span) { [unowned self] in
      timers[number] = nil
      tried[number] = nil
      expected[number] = nil
      body()
    }
    return number
  }

  func refuse(_ guest: WaitingRoom.Guest, _ why: Rejection) {
    keep()
    // Allow the same id again, except after a timeout: the announcer may still carry that call out.
    if why.kind != .timeout { desk.forget(guest.order) }
    var rejection = Rejection(why.kind, "'\(guest.order.name)': \(why.words)")
    rejection.id = guest.order.id
    reject(rejection, guest)
  }

  // MARK: The journal

  func tell(_ event: RelayEvent, _ words: String, _ guest: WaitingRoom.Guest) {
    guard let more = commandEntries.suffix(at: Self.uptime) else { return }
    journal.log(
      event, .info, "\(words)\(more)".printable,
      ["COMMAND": guest.order.name, "ID": guest.order.id, "TOPIC": guest.topic])
  }

  private func reject(_ rejection: Rejection, _ guest: WaitingRoom.Guest) {
    reject(rejection, guest.topic)
    guest.answer?(.refused(rejection))
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
      ["REASON": rejection.kind.rawValue, "ID": rejection.id, "TOPIC": topic])
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
