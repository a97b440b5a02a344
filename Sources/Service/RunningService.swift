import Basics
import CClocksmith
import CSystemd
import Daemon
import Devices
@preconcurrency import Glibc
import Horology

/// The service that runs on this machine, reached over the system bus.
public final class RunningService {
  /// How long it may take to answer. Its loop never waits that long for anything.
  public static let patience = Duration.seconds(5)

  /// The process of the service; nil if the bus does not name it.
  public let process: pid_t?

  private let bus: SystemBus
  /// The deadline for the first call, which includes the time to connect.
  private var deadline: Uptime?
  private var changed: () -> Void = {}
  private var noticed: (_ event: String, _ words: String, _ fields: [String: String]) -> Void = {
    _, _, _ in
  }

  /// Nil if there is no bus, or no service on it.
  /// - Parameter patience: how long the bus may take to answer.
  /// - Throws: `Fault` if it takes longer.
  public init?(patience: Duration = RunningService.patience) throws(Fault) {
    guard let bus = try? SystemBus() else { return nil }
    self.bus = bus
    let deadline = SystemClock.uptime + patience
    self.deadline = deadline
    var process: pid_t = 0
    var code = Self.connect(bus.pointer, until: deadline)
    if code > 0 {
      sd_bus_set_method_call_timeout(bus.pointer, Self.microseconds(until: deadline))
      var credentials: OpaquePointer?
      code = sd_bus_get_name_creds(
        bus.pointer, CLOCKSMITH_BUS_NAME, UInt64(SD_BUS_CREDS_PID), &credentials)
      if code >= 0 { sd_bus_creds_get_pid(credentials, &process) }
      sd_bus_creds_unref(credentials)
      sd_bus_set_method_call_timeout(bus.pointer, UInt64(Self.patience.nanoseconds / 1000))
    }
    self.process = process > 0 ? process : nil
    if code == -ETIMEDOUT {
      throw Fault(
        "the system bus", code: ETIMEDOUT, "it does not answer; see 'systemctl status dbus'")
    }
    guard code >= 0 else { return nil }
  }

  /// Waits until the connection is ready. sd-bus itself would wait for 90 s.
  /// - Returns: more than 0, or -errno.
  private static func connect(_ bus: OpaquePointer, until deadline: Uptime) -> Int32 {
    while true {
      let ready = sd_bus_is_ready(bus)
      if ready != 0 { return ready }
      let code = sd_bus_process(bus, nil)
      if code < 0 { return code }
      if code > 0 { continue }
      if SystemClock.uptime >= deadline { return -ETIMEDOUT }
      sd_bus_wait(bus, microseconds(until: deadline))
    }
  }

  /// At least 1: with 0, sd-bus would choose its own timeout.
  private static func microseconds(until deadline: Uptime) -> UInt64 {
    UInt64(max((deadline - SystemClock.uptime).nanoseconds / 1000, 1))
  }

  // MARK: Asking

  /// Says the time now, or a given one.
  /// - Returns: what it says.
  public func announce(_ time: CivilTime?) throws(Fault) -> String {
    let reply =
      if let time {
        try call("AnnounceTime", [.small(UInt32(time.hour)), .small(UInt32(time.minute))])
      } else {
        try call("Announce")
      }
    return withExtendedLifetime(reply) { BusReader.text(reply.pointer) ?? "" }
  }

  /// Fades out what sounds.
  public func stop() throws(Fault) {
    _ = try call("Stop")
  }

  /// Mutes everything that would sound by itself, for so long; without end if nil.
  public func mute(for duration: Duration?) throws(Fault) {
    _ = try call("Mute", [.unsigned(UInt64((duration ?? .zero).nanoseconds / 1000))])
  }

  public func muteNext() throws(Fault) {
    _ = try call("MuteNext")
  }

  public func unmute() throws(Fault) {
    _ = try call("Unmute")
  }

  // MARK: Timers

  /// - Returns: its number.
  public func startTimer(_ length: Duration, name: String?) throws(Fault) -> Int {
    let reply = try call("StartTimer", [.unsigned(length.microseconds), .text(name ?? "")])
    return withExtendedLifetime(reply) { BusReader.uint32(reply.pointer).map { Int($0) } ?? 0 }
  }

  public func addToTimer(_ which: String, _ span: Duration) throws(Fault) {
    _ = try call("AddToTimer", [.text(which), .unsigned(span.microseconds)])
  }

  public func pauseTimer(_ which: String) throws(Fault) {
    _ = try call("PauseTimer", [.text(which)])
  }

  public func resumeTimer(_ which: String) throws(Fault) {
    _ = try call("ResumeTimer", [.text(which)])
  }

  public func cancelTimer(_ which: String) throws(Fault) {
    _ = try call("CancelTimer", [.text(which)])
  }

  /// Says how much is left of a timer; if nil, of the one that ends next.
  /// - Returns: what it says.
  public func tellTimer(_ which: String?) throws(Fault) -> String {
    let reply = try call("TellTimer", [.text(which ?? "")])
    return withExtendedLifetime(reply) { BusReader.text(reply.pointer) ?? "" }
  }

  /// Starts an interval.
  /// - Returns: false if it runs already, and goes on.
  public func startInterval(_ plan: IntervalPlan, replaces: Bool) throws(Fault) -> Bool {
    let reply =
      switch plan {
      case .plain(let period):
        try call("StartInterval", [.unsigned(period.microseconds), .flag(replaces)])
      case .rounds(let rounds):
        try call(
          "StartRounds",
          [
            .unsigned(rounds.work.microseconds), .unsigned(rounds.rest.microseconds),
            .small(UInt32(rounds.count ?? 0)), .unsigned(rounds.prepare.microseconds),
            .small(UInt32(rounds.countdown)), .flag(rounds.saysWords), .flag(replaces),
          ])
      }
    return withExtendedLifetime(reply) { BusReader.flag(reply.pointer) ?? true }
  }

  public func stopInterval() throws(Fault) {
    _ = try call("StopInterval")
  }

  // MARK: Alarms

  /// - Parameters:
  ///   - days: as `AlarmDays` reads them.
  ///   - tune: nil for the signal.
  ///   - rise: as `AlarmRise` reads it; nil for none.
  /// - Returns: its number.
  public func setAlarm(
    _ times: AlarmTimes, name: String?, tune: String?, rise: String?
  ) throws(Fault) -> Int {
    let reply = try call(
      "SetAlarm",
      [
        .text(times.time.description), .text(times.days.description), .text(name ?? ""),
        .text(tune ?? ""), .text(rise ?? ""),
      ])
    return withExtendedLifetime(reply) { BusReader.uint32(reply.pointer).map { Int($0) } ?? 0 }
  }

  /// - Parameter which: nil for all that ring.
  public func snoozeAlarm(_ which: String?) throws(Fault) {
    _ = try call("SnoozeAlarm" + (which == nil ? "s" : ""), which.map { [.text($0)] } ?? [])
  }

  /// - Parameter which: nil for all that ring or snooze.
  public func stopAlarm(_ which: String?) throws(Fault) {
    _ = try call("StopAlarm" + (which == nil ? "s" : ""), which.map { [.text($0)] } ?? [])
  }

  /// - Returns: its number.
  public func skipAlarm(_ which: String) throws(Fault) -> UInt32 {
    let reply = try call("SkipAlarm", [.text(which)])
    return withExtendedLifetime(reply) { BusReader.uint32(reply.pointer) ?? 0 }
  }

  public func cancelAlarm(_ which: String) throws(Fault) {
    _ = try call("CancelAlarm", [.text(which)])
  }

  // MARK: Looking

  public func status() throws(Fault) -> Status {
    let reply = try call(
      "GetAll", [.text(CLOCKSMITH_BUS_INTERFACE)], interface: "org.freedesktop.DBus.Properties")
    guard let values = BusReader.properties(reply.pointer), let status = Status(properties: values)
    else {
      throw Fault(service, "it is of another version than this command; restart it")
    }
    return status
  }

  /// Calls `handler` at every signal of the service, as of a changed property, when the service
  /// comes or goes, and when the bus goes.
  public func whenChanged(
    _ loop: EventLoop, _ handler: @escaping () -> Void
  ) throws(Fault) {
    changed = handler
    try bus.attach(loop, isLast: true) { [unowned self] in changed() }
    try watch("type='signal',path='\(CLOCKSMITH_BUS_PATH)',sender='\(CLOCKSMITH_BUS_NAME)'")
    // The service's own signals do not tell that it has gone or come.
    try watch(
      "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',"
        + "arg0='\(CLOCKSMITH_BUS_NAME)'")
  }

  /// Calls `handler` at every notice of the service that `whenChanged` watches for, before that
  /// one's handler: with the event, the words for a person, and the fields, as `Notice` has them.
  public func whenNoticed(
    _ handler: @escaping (_ event: String, _ words: String, _ fields: [String: String]) -> Void
  ) {
    noticed = handler
  }

  /// Handles the signals that have arrived, after the loop has ended.
  public func handleArrived() {
    while sd_bus_process(bus.pointer, nil) > 0 {}
  }

  private func take(_ message: OpaquePointer) {
    if sd_bus_message_is_signal(message, CLOCKSMITH_BUS_INTERFACE, "Noticed") > 0,
      let event = BusReader.text(message), BusReader.byte(message) != nil,
      let words = BusReader.text(message), let fields = BusReader.fields(message)
    {
      noticed(event, words, fields)
    }
    changed()
  }

  /// Calls `take` for every message that a rule matches.
  private func watch(_ rule: String) throws(Fault) {
    try bus.keep("watch the system bus") {
      sd_bus_add_match(
        bus.pointer, &$0, rule,
        { message, context, _ in
          Unmanaged<RunningService>.fromOpaque(context!).takeUnretainedValue().take(message!)
          return 0
        }, Unmanaged.passUnretained(self).toOpaque())
    }
  }

  // MARK: Calls

  private func call(
    _ method: String, _ arguments: [BusValue] = [], interface: String = CLOCKSMITH_BUS_INTERFACE
  ) throws(Fault) -> BusMessage {
    let message = try BusMessage {
      sd_bus_message_new_method_call(
        bus.pointer, &$0, CLOCKSMITH_BUS_NAME, CLOCKSMITH_BUS_PATH, interface, method)
    }
    for value in arguments { BusWriter.append(value, to: message.pointer) }
    var error = sd_bus_error()
    defer { sd_bus_error_free(&error) }
    var reply: OpaquePointer?
    let until = deadline ?? SystemClock.uptime + Self.patience
    deadline = nil
    let code = sd_bus_call(
      bus.pointer, message.pointer, Self.microseconds(until: until), &error, &reply)
    guard code >= 0, let reply else {
      throw Self.fault(error, code, acts: interface == CLOCKSMITH_BUS_INTERFACE)
    }
    return BusMessage(owning: reply)
  }

  /// - Parameter acts: true if the call may change something.
  private static func fault(_ error: sd_bus_error, _ code: Int32, acts: Bool) -> Fault {
    if [-ENOTCONN, -ECONNRESET, -ESHUTDOWN, -EPIPE].contains(code) {
      return Fault("the system bus", code: -code, "it has gone; see 'systemctl status dbus'")
    }
    switch error.name.map({ String(cString: $0) }) {
    case SD_BUS_ERROR_ACCESS_DENIED:
      return Fault(service, code: -code, accessIsDenied)
    case SD_BUS_ERROR_SERVICE_UNKNOWN, SD_BUS_ERROR_NAME_HAS_NO_OWNER, SD_BUS_ERROR_DISCONNECTED,
      SD_BUS_ERROR_UNKNOWN_OBJECT:
      return Fault(service, code: -code, gone)
    // The bus says so if the service disconnects before it answers.
    case SD_BUS_ERROR_NO_REPLY:
      return Fault(service, code: -code, acts ? "it may have done it, but \(gone)" : gone)
    case SD_BUS_ERROR_TIMEOUT:
      return Fault(
        service, code: -code,
        "it does not answer\(acts ? ", but may still carry out the command" : ""); "
          + "see 'systemctl status clocksmith'")
    case SD_BUS_ERROR_UNKNOWN_METHOD:
      return Fault(
        service, code: -code, "it is of another version than this command; restart it")
    default:
      let words = error.message.map { String(cString: $0) } ?? String(cString: strerror(-code))
      return Fault(service, code: -code, words)
    }
  }
}

private let service = "clocksmith.service"
private let gone = "it has gone; see 'systemctl status clocksmith'"

extension Fault {
  /// True if the service ended, or ended before it answered a question.
  public var meansThatTheServiceHasGone: Bool { operation == service && detail == gone }
}
