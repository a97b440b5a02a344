import Basics
import CClocksmith
import CSystemd
import Daemon
import Devices
@preconcurrency import Glibc
import Horology
import Vocabulary

/// The service that runs on this machine, reached over the system bus.
public final class RunningService {
  public static let patience = Duration.seconds(5)

  /// The process of the service; nil if the bus does not name it.
  public let process: pid_t?

  private let bus: SystemBus
  private var changed: () -> Void = {}
  private var noticed: (_ words: String, _ fields: [String: String]) -> Void = { _, _ in }

  /// Nil if there is no bus, or no service on it.
  /// - Throws: `Fault` if it takes longer.
  public init?(patience: Duration = RunningService.patience) throws(Fault) {
    guard let bus = try? SystemBus() else { return nil }
    self.bus = bus
    var process: pid_t = 0
    var code = Self.connect(bus.pointer, until: SystemClock.uptime + patience)
    if code > 0 {
      sd_bus_set_method_call_timeout(bus.pointer, patience.microseconds)
      var credentials: OpaquePointer?
      code = sd_bus_get_name_creds(
        bus.pointer, AnnouncerBus.name, UInt64(SD_BUS_CREDS_PID), &credentials)
      if code >= 0 { sd_bus_creds_get_pid(credentials, &process) }
      sd_bus_creds_unref(credentials)
      sd_bus_set_method_call_timeout(bus.pointer, Self.patience.microseconds)
    }
    self.process = process > 0 ? process : nil
    if code == -ETIMEDOUT {
      throw Fault(
        "the system bus", code: ETIMEDOUT, "it does not answer; see 'systemctl status dbus'")
    }
    guard code >= 0 else { return nil }
  }

  /// Waits until the connection is ready. sd-bus itself would wait for 90 s.
  private static func connect(_ bus: OpaquePointer, until deadline: Uptime) -> Int32 {
    while true {
      let ready = sd_bus_is_ready(bus)
      if ready != 0 { return ready }
      let code = sd_bus_process(bus, nil)
      if code < 0 { return code }
      if code > 0 { continue }
      if SystemClock.uptime >= deadline { return -ETIMEDOUT }
      sd_bus_wait(bus, (deadline - SystemClock.uptime).microseconds)
    }
  }

  // MARK: Asking

  /// - Returns: the answer. Of a tune only the name is sent; the service finds it.
  /// - Throws: `Fault` if it is refused, or the service has gone.
  @discardableResult
  public func ask(_ request: Request) throws(Fault) -> Record {
    let (method, record) = request.call
    let reply = try call(method) { message in
      if let record { BusWriter.append(record, to: message) }
    }
    return withExtendedLifetime(reply) { BusReader.record(reply.pointer) } ?? Record()
  }

  // MARK: Looking

  public func status() throws(Fault) -> Status {
    let reply = try call("GetAll", interface: "org.freedesktop.DBus.Properties") {
      BusWriter.append(text: AnnouncerBus.interface, to: $0)
    }
    guard let values = BusReader.record(reply.pointer),
      let status = try? Status(Record(properties: values))
    else {
      throw Fault(service, isOfAnotherVersion)
    }
    return status
  }

  public func agenda(from start: Instant, to end: Instant) throws(Fault) -> AgendaPart {
    let answer = try ask(.agenda(from: start, to: end))
    guard let part = try? AgendaPart(answer) else { throw Fault(service, isOfAnotherVersion) }
    return part
  }

  public func settings(_ key: String?) throws(Fault) -> [Setting] {
    guard let settings = try ask(.settings(key))[Setting.list] else {
      throw Fault(service, isOfAnotherVersion)
    }
    return settings
  }

  /// Calls `handler` at every signal of the service, when it comes or goes, and when the bus goes; and
  /// `noticed` before that at every notice.
  public func whenChanged(
    _ loop: EventLoop,
    noticed: @escaping (_ words: String, _ fields: [String: String]) -> Void = { _, _ in },
    _ handler: @escaping () -> Void
  ) throws(Fault) {
    (self.noticed, changed) = (noticed, handler)
    try bus.attach(loop, isLast: true) { [unowned self] in changed() }
    for rule in AnnouncerBus.matches {
      try bus.keep("watch the system bus") {
        sd_bus_add_match(
          bus.pointer, &$0, rule,
          { message, context, _ in
            Unmanaged<RunningService>.fromOpaque(context!).takeUnretainedValue().handle(message!)
            return 0
          }, Unmanaged.passUnretained(self).toOpaque())
      }
    }
  }

  /// Handles the signals that have arrived, after the loop has ended.
  public func handleArrived() {
    while sd_bus_process(bus.pointer, nil) > 0 {}
  }

  private func handle(_ message: OpaquePointer) {
    if sd_bus_message_is_signal(message, AnnouncerBus.interface, "Noticed") > 0,
      let (_, words, fields) = BusReader.record(message).flatMap(Notice.parts)
    {
      noticed(words, fields)
    }
    changed()
  }

  // MARK: Calls

  private func call(
    _ method: String, interface: String = AnnouncerBus.interface,
    _ write: (OpaquePointer) -> Void
  ) throws(Fault) -> BusMessage {
    let message = try BusMessage {
      sd_bus_message_new_method_call(
        bus.pointer, &$0, AnnouncerBus.name, AnnouncerBus.path, interface, method)
    }
    write(message.pointer)
    var error = sd_bus_error()
    defer { sd_bus_error_free(&error) }
    var reply: OpaquePointer?
    let code = sd_bus_call(bus.pointer, message.pointer, 0, &error, &reply)
    guard code >= 0, let reply else { throw Self.fault(error, code) }
    return BusMessage(owning: reply)
  }

  private static func fault(_ error: sd_bus_error, _ code: Int32) -> Fault {
    let name = error.name.map { String(cString: $0) } ?? ""
    switch name {
    case SD_BUS_ERROR_ACCESS_DENIED:
      return Fault("", code: -code, accessIsDenied)
    case SD_BUS_ERROR_SERVICE_UNKNOWN, SD_BUS_ERROR_NAME_HAS_NO_OWNER, SD_BUS_ERROR_DISCONNECTED,
      SD_BUS_ERROR_UNKNOWN_OBJECT, SD_BUS_ERROR_NO_REPLY:
      return Fault(service, gone)
    case SD_BUS_ERROR_TIMEOUT:
      return Fault(
        service, code: -code,
        "it does not answer, but may still carry out the command; see 'systemctl status clocksmith'"
      )
    case SD_BUS_ERROR_UNKNOWN_METHOD:
      return Fault(service, code: -code, isOfAnotherVersion)
    default:
      let words = error.message.map { String(cString: $0) } ?? String(cString: strerror(-code))
      let key = BusError.key(ofName: name) ?? ""
      return Fault("", code: -code, RefusalKey.sentence(words, key: key, for: .terminal))
    }
  }
}

private let service = "clocksmith.service"
private let isOfAnotherVersion = "it is of another version than this command; restart it"
private let gone = "it has gone; see 'systemctl status clocksmith'"

private var accessIsDenied: String {
  let user = getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? "USER"
  return "only root and members of the group audio may do that; "
    + "run 'sudo adduser \(user) audio' and log in again"
}
