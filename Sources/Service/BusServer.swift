import Basics
import CClocksmith
import CSystemd
import Daemon
import Devices
@preconcurrency import Glibc
import Horology
import Sound
import Vocabulary

/// org.clocksmith.Announcer1 on the system bus: serves requests and signals changes. Without a bus
/// the service goes on, and tries to connect again.
final class BusServer {
  struct Refusal: Error {
    let name: String
    /// What is wrong. The caller adds what its users can do about it.
    let words: String

    static func refused(_ refusal: Horology.Refusal) -> Refusal {
      Refusal(name: BusError.name(ofKey: refusal.key), words: refusal.flaw)
    }

    static func badArgument(_ words: String) -> Refusal {
      Refusal(name: SD_BUS_ERROR_INVALID_ARGS, words: words)
    }

    static func refused(_ key: RefusalKey, _ words: String) -> Refusal {
      Refusal(name: BusError.name(ofKey: key.rawValue), words: words)
    }
  }

  private let loop: EventLoop
  private let journal: Journal
  private let serve: (Request) throws(Refusal) -> Record
  private let status: () -> Status
  private var bus: SystemBus?
  /// Runs until the next try to connect.
  private var retry: EventSource?
  private var outage = Outage()
  private var telling: EventSource?
  private var told: Status?

  init(
    loop: EventLoop, journal: Journal,
    serve: @escaping (Request) throws(Refusal) -> Record, status: @escaping () -> Status
  ) {
    (self.loop, self.journal, self.serve, self.status) = (loop, journal, serve, status)
  }

  deinit { close() }

  private static func from(_ context: UnsafeMutableRawPointer?) -> BusServer {
    Unmanaged<BusServer>.fromOpaque(context!).takeUnretainedValue()
  }

  // MARK: The connection

  func start() {
    do throws(Fault) {
      try connect()
    } catch {
      lose(error.description)
    }
  }

  private func connect() throws(Fault) {
    let bus = try SystemBus(loop, isLast: true) { [unowned self] in
      lose("the system bus has gone")
    }
    self.bus = bus
    let context = Unmanaged.passUnretained(self).toOpaque()
    try bus.keep("offer \(AnnouncerBus.interface)") {
      clocksmith_bus_add(
        bus.pointer, &$0, AnnouncerBus.path, AnnouncerBus.interface, Self.members,
        Self.members.count,
        { call, context, error in BusServer.from(context).answer(call!, error) },
        { _, _, _, name, reply, context, _ in
          BusServer.from(context).append(name!, to: reply!)
        }, context)
    }
    try bus.keep("ask for the name \(AnnouncerBus.name)") {
      sd_bus_request_name_async(
        bus.pointer, &$0, AnnouncerBus.name, 0,
        { reply, context, _ in
          BusServer.from(context).named(reply!)
          return 0
        }, context)
    }
    told = status()
  }

  private func named(_ reply: OpaquePointer) {
    var owner: UInt32 = 0
    if let error = sd_bus_message_get_error(reply) {
      let words = error.pointee.message.map { String(cString: $0) } ?? "no reason is given"
      return lose(
        "the system bus refuses the name \(AnnouncerBus.name): \(words)",
        Self.unreachable + "; without the installed package this is normal")
    }
    // 1 is DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER of the D-Bus specification.
    guard sd_bus_message_read_basic(reply, CChar(UInt8(ascii: "u")), &owner) > 0, owner == 1 else {
      return lose(
        "another program has the name \(AnnouncerBus.name) on the system bus",
        "if that is a second clocksmith, both speak: 'busctl status \(AnnouncerBus.name)' shows "
          + "which program it is; stop one of the two")
    }
    if outage.ends() { journal.log(.bus, .notice, "the system bus is back") }
  }

  private static let unreachable =
    "the clock still speaks, but commands such as 'clocksmith alarm' cannot reach it"

  private func lose(_ why: String, _ consequence: String = unreachable) {
    close()
    if outage.begins() { journal.log(.busMissing, .warning, "\(why); \(consequence)") }
    let wait = outage.nextWait()
    retry = try? loop.after(wait, accuracy: wait / 10) { [unowned self] in start() }
    retry?.isServedLast()
  }

  private func close() {
    retry = nil
    telling = nil
    bus?.close()
    bus = nil
  }

  // MARK: Telling

  /// Emits PropertiesChanged for all changed properties except the flowing ones.
  func tellChanges() {
    guard let bus else { return }
    let now = status()
    let changed = Status.properties.filter { property in
      !property.isFlowing && told.map { !property.isSame($0, now) } ?? true
    }
    told = now
    guard !changed.isEmpty else { return }
    var names = changed.map { strdup($0.name) }
    names.append(nil)
    defer { for name in names { free(name) } }
    sd_bus_emit_properties_changed_strv(
      bus.pointer, AnnouncerBus.path, AnnouncerBus.interface, &names)
  }

  /// Emits PropertiesChanged once everything else that is due has been served.
  func tellSoon() {
    guard bus != nil, telling == nil else { return }
    telling = try? loop.after(.zero) { [unowned self] in
      telling = nil
      tellChanges()
    }
    telling?.isServedLast()
  }

  func signal(_ name: String, _ record: Record) {
    guard let bus else { return }
    let message = try? BusMessage {
      sd_bus_message_new_signal(
        bus.pointer, &$0, AnnouncerBus.path, AnnouncerBus.interface, name)
    }
    guard let message else { return }
    BusWriter.append(record, to: message.pointer)
    sd_bus_send(bus.pointer, message.pointer, nil)
  }

  func signal(_ notice: Notice) { signal("Noticed", notice.record) }

  // MARK: Being asked

  private func answer(
    _ call: OpaquePointer, _ error: UnsafeMutablePointer<sd_bus_error>?
  ) -> Int32 {
    do {
      let member = sd_bus_message_get_member(call).map { String(cString: $0) } ?? ""
      // sd-bus knows no other members, and has checked the signature.
      guard let form = Request.form(ofMethod: member) else { return -ENOENT }
      let answer = try serve(try request(form, call))
      let reply = try BusMessage { sd_bus_message_new_method_return(call, &$0) }
      if !form.facts.isEmpty { BusWriter.append(answer, to: reply.pointer) }
      return sd_bus_send(nil, reply.pointer, nil)
    } catch let refusal as Refusal {
      return sd_bus_error_set(error, refusal.name, refusal.words)
    } catch {
      return -EIO
    }
  }

  private func request(_ form: Request.Form, _ call: OpaquePointer) throws(Refusal) -> Request {
    guard let record = form.facts.isEmpty ? Record() : BusReader.record(call)
    else {
      throw .badArgument(
        "a value has a type that no key has; there are texts, numbers and booleans")
    }
    do throws(BadValue) {
      return try form.request(record, from: .person)
    } catch {
      throw .badArgument(error.description)
    }
  }

  /// A missing value is empty, or not a number.
  private func append(_ name: UnsafePointer<CChar>, to reply: OpaquePointer) -> Int32 {
    let name = String(cString: name)
    guard let property = Status.properties.first(where: { $0.name == name }) else {
      return -ENODATA
    }
    if let eachRecord = property.eachRecord {
      return BusWriter.append(to: reply) { write in eachRecord(status(), write) }
    }
    let missing: Value =
      switch property.type {
      case "b": .flag(false)
      case "d": .real(.nan)
      case "a{sv}": .record(Record())
      case "as", "aa{sv}": .list([])
      default: .text("")
      }
    return BusWriter.append(
      property.field.value(status()) ?? missing, property.type, to: reply)
  }

  /// The members of the interface. The texts are never freed: there is one interface.
  private nonisolated(unsafe) static let members: [clocksmith_bus_member] = {
    func member(
      _ kind: clocksmith_bus_kind, _ name: String, _ takes: String, _ gives: String = ""
    ) -> clocksmith_bus_member {
      clocksmith_bus_member(
        kind: kind, name: strdup(name), takes: strdup(takes), gives: strdup(gives))
    }
    let methods = Request.methods.map { form in
      let type = form.facts.isEmpty ? "" : "a{sv}"
      return member(CLOCKSMITH_BUS_METHOD, form.method, type, type)
    }
    let properties = Status.properties.map { property in
      member(
        property.isFlowing ? CLOCKSMITH_BUS_FLOWING : CLOCKSMITH_BUS_PROPERTY, property.name,
        property.type)
    }
    let signals = ["Noticed", "Held"].map { member(CLOCKSMITH_BUS_SIGNAL, $0, "a{sv}") }
    return methods + properties + signals
  }()
}
