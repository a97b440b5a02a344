import Basics
import CSystemd
import Daemon
@preconcurrency import Glibc
import Horology
import Vocabulary

/// The announcer over D-Bus: calls it without blocking, and watches it come and go.
final class AnnouncerLink {
  /// The announcer's loop never blocks that long.
  private static let patience = Duration.seconds(5)
  /// The longest pause before a lost bus is opened again, or a silent announcer is asked.
  private static let longestPause = Duration.seconds(5)
  /// Limit of unanswered calls; the bus itself allows 128. Others wait, but a stop is made at once.
  private static let mostPending = 64
  private static let mostQueued = 1000

  private let loop: EventLoop
  private unowned let service: RelayService
  /// Why the announcer cannot be called; nil if it can.
  private(set) var absence: String? = "the announcer has not answered yet"
  var isRunning: Bool { absence == nil }
  /// Whether it ran when that was logged last.
  private var loggedRunning: Bool?
  /// As the announcer has told it last. It is kept while the announcer is absent, so that a command
  /// with an instant is taken while the announcer restarts.
  private(set) var state = AnnouncerState(Record())

  private var bus: SystemBus?
  private var pending = 0
  private var queue: [() -> Void] = []
  private var isAsking = false
  private var timer: EventSource?
  private var outage = Outage(first: .milliseconds(250), longest: longestPause)

  init(_ service: RelayService) {
    self.service = service
    loop = service.loop
  }

  func connect() {
    do throws(Fault) {
      // Not last: under a flood of MQTT messages the answers would never be read.
      let bus = try SystemBus(loop, isLast: false) { [unowned self] in
        lose("the system bus has gone")
      }
      self.bus = bus
      for rule in AnnouncerBus.matches {
        try bus.keep("watch the system bus") {
          sd_bus_add_match_async(
            bus.pointer, &$0, rule,
            { message, context, _ in
              Unmanaged<AnnouncerLink>.fromOpaque(context!).takeUnretainedValue().heard(message!)
              return 0
            }, nil, Unmanaged.passUnretained(self).toOpaque())
        }
      }
      ask()
    } catch {
      lose(error.description)
    }
  }

  private func lose(_ why: String) {
    bus = nil
    isAsking = false
    let queued = queue
    queue = []
    for call in queued { call() }
    setAbsence(why)
    timer = try? loop.after(outage.nextWait()) { [unowned self] in connect() }
  }

  private func heard(_ message: OpaquePointer) {
    if sd_bus_message_is_signal(message, AnnouncerBus.interface, "Noticed") > 0,
      let notice = BusReader.record(message)
    {
      service.heard(notice)
    } else if sd_bus_message_is_signal(message, AnnouncerBus.interface, "Held") > 0 {
      service.door.opened?.phones?.held()
    } else {
      let hasNewOwner = sd_bus_message_is_signal(
        message, "org.freedesktop.DBus", "NameOwnerChanged")
      if hasNewOwner > 0 { service.commands.handOverAgain() }
      ask()
    }
  }

  /// Reads the state again. An answer that is still to come has all that was told before it.
  func ask() {
    guard bus != nil, !isAsking else { return }
    isAsking = true
    send("GetAll", of: "org.freedesktop.DBus.Properties", .text(AnnouncerBus.interface)) {
      [unowned self] in
      isAsking = false
      switch $0 {
      case .success(let reply):
        guard let values = BusReader.record(reply) else {
          return setAbsence("the announcer's state cannot be read: it is of another version")
        }
        state = AnnouncerState(values)
        timer = nil
        _ = outage.ends()
        setAbsence(nil)
      case .failure(let rejection):
        // If the bus has gone, `lose` is called next and tells that.
        guard let bus, sd_bus_is_open(bus.pointer) != 0 else { return }
        setAbsence(rejection.words)
        // The bus may not tell that it answers again, so ask.
        timer = try? loop.after(Self.longestPause) { [unowned self] in ask() }
      }
    }
  }

  private func setAbsence(_ absence: String?) {
    self.absence = absence
    // Log only the first cause of an absence: it may change from one attempt to the next.
    if loggedRunning != isRunning {
      loggedRunning = isRunning
      if let absence {
        service.journal.log(
          .announcerLost, .warning,
          "\(absence); the clock is published as offline until the announcer is back")
      } else {
        service.journal.log(.announcer, .notice, "the announcer answers")
      }
    }
    service.announcerChanged()
  }

  /// - Parameter done: called once, perhaps before this returns, with the announcer's answer.
  func call(_ request: Request, _ done: @escaping (Result<Record, Rejection>) -> Void) {
    guard pending < Self.mostPending || request == .stop else {
      guard queue.count < Self.mostQueued else {
        return done(.failure(Rejection(.full, "the clock has not answered so many commands yet")))
      }
      queue.append { [unowned self] in call(request, done) }
      return
    }
    let (method, record) = request.call
    send(method, of: AnnouncerBus.interface, record.map { .record($0) }) { [unowned self] in
      switch $0 {
      case .success(let reply): done(.success(BusReader.record(reply) ?? Record()))
      case .failure(let rejection) where rejection.kind == .timeout:
        done(.failure(Rejection(.timeout, "\(rejection.words), and may still carry it out")))
        // No signal tells that it stands still: ask.
        ask()
      case .failure(let rejection): done(.failure(rejection))
      }
    }
  }

  private func send(
    _ method: String, of interface: String, _ argument: Value?,
    _ done: @escaping (Result<OpaquePointer, Rejection>) -> Void
  ) {
    guard let bus else {
      return done(.failure(Rejection(.absent, "the system bus cannot be reached")))
    }
    let call = Unmanaged.passRetained(
      PendingCall { [unowned self] reply in
        pending -= 1
        done(result(reply))
        if pending < Self.mostPending, !queue.isEmpty { queue.removeFirst()() }
      })
    do throws(Fault) {
      let message = try BusMessage {
        sd_bus_message_new_method_call(
          bus.pointer, &$0, AnnouncerBus.name, AnnouncerBus.path, interface, method)
      }
      sd_bus_message_set_auto_start(message.pointer, 0)
      // Its type is asked for only by lists.
      if let argument { BusWriter.append(argument, "", to: message.pointer) }
      // When the bus goes, sd-bus answers each call with an error.
      let code = sd_bus_call_async(
        bus.pointer, nil, message.pointer,
        { reply, context, _ in
          Unmanaged<PendingCall>.fromOpaque(context!).takeRetainedValue().answered(reply!)
          return 0
        }, call.toOpaque(), Self.patience.microseconds)
      guard code >= 0 else { throw Fault("the system bus", errno: -code) }
      pending += 1
    } catch {
      call.release()
      done(.failure(Rejection(.absent, error.description)))
    }
  }

  private func result(_ reply: OpaquePointer) -> Result<OpaquePointer, Rejection> {
    guard sd_bus_message_is_method_error(reply, nil) > 0,
      let error = sd_bus_message_get_error(reply)
    else { return .success(reply) }
    let words = error.pointee.message.map { String(cString: $0) } ?? "no reason is given"
    let name = error.pointee.name.map { String(cString: $0) } ?? ""
    let rejection =
      switch name {
      case SD_BUS_ERROR_SERVICE_UNKNOWN, SD_BUS_ERROR_NAME_HAS_NO_OWNER:
        Rejection(.absent, "the announcer does not run")
      case SD_BUS_ERROR_NO_REPLY, SD_BUS_ERROR_TIMEOUT:
        Rejection(.timeout, "the announcer does not answer in time")
      case SD_BUS_ERROR_ACCESS_DENIED:
        Rejection(
          .absent,
          "the system bus does not allow the relay to call the announcer; run the relay as the user "
            + "clocksmith-relay")
      case SD_BUS_ERROR_INVALID_ARGS: Rejection(.value, words)
      default:
        BusError.key(ofName: name).map { Rejection(ofClock: $0, words) }
          ?? Rejection(.refused, words)
      }
    return .failure(rejection)
  }
}

final class PendingCall {
  let answered: (OpaquePointer) -> Void

  init(_ answered: @escaping (OpaquePointer) -> Void) { self.answered = answered }
}
