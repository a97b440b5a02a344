import Basics
import CSystemd
import Daemon

/// Announces the face in the local network, so that others find it by `_http._tcp`: through the D-Bus
/// of avahi-daemon, for as long as this exists. Without avahi nothing happens; one that comes later,
/// or again, is used then.
final class Avahi {
  private static let name = "org.freedesktop.Avahi"
  private static let interface = "org.freedesktop.Avahi.Server"
  private static let group = "org.freedesktop.Avahi.EntryGroup"
  /// AVAHI_SERVER_RUNNING. It comes again after avahi has given the machine another name.
  private static let running: Int32 = 2

  private let loop: EventLoop
  private let port: UInt16
  private let type: String
  private var bus: SystemBus?
  private var timer: EventSource?
  private var outage = Outage()
  /// The path of our announcement in avahi.
  private var entry: String?
  /// The call that waits for its answer, and what is done with that.
  private var slot: OpaquePointer?
  private var answered: (OpaquePointer) -> Void = { _ in }

  init(_ loop: EventLoop, port: UInt16, usesTLS: Bool) {
    self.loop = loop
    self.port = port
    type = usesTLS ? "_https._tcp" : "_http._tcp"
    connect()
  }

  deinit { sd_bus_slot_unref(slot) }

  private static func from(_ context: UnsafeMutableRawPointer?) -> Avahi {
    Unmanaged<Avahi>.fromOpaque(context!).takeUnretainedValue()
  }

  private func connect() {
    do throws(Fault) {
      let bus = try SystemBus(loop, isLast: true) { [unowned self] in lose() }
      self.bus = bus
      let rules = [
        "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(Self.name)'",
        "type='signal',sender='\(Self.name)',interface='\(Self.interface)',member='StateChanged'",
      ]
      for rule in rules {
        try bus.keep("watch the system bus") {
          sd_bus_add_match_async(
            bus.pointer, &$0, rule,
            { message, context, _ in
              Avahi.from(context).heard(message!)
              return 0
            }, nil, Unmanaged.passUnretained(self).toOpaque())
        }
      }
      _ = outage.ends()
      announce()
    } catch {
      lose()
    }
  }

  private func lose() {
    sd_bus_slot_unref(slot)
    (slot, entry, bus) = (nil, nil, nil)
    timer = try? loop.after(outage.nextWait()) { [unowned self] in connect() }
  }

  private func heard(_ message: OpaquePointer) {
    if sd_bus_message_is_signal(message, Self.interface, "StateChanged") > 0 {
      guard read("i", as: Int32.self, message) == Self.running else { return }
    } else {
      // Another avahi knows nothing of it.
      entry = nil
    }
    announce()
  }

  private func announce() {
    if let entry { call(entry, Self.group, "Free") { _ in } }
    entry = nil
    // The name that no other machine of this network has.
    call("/", Self.interface, "GetHostName") { [unowned self] reply in
      guard case .text(let host)? = BusReader.value("s", reply) else { return }
      call("/", Self.interface, "EntryGroupNew") { [unowned self] reply in
        guard let path = read("o", as: UnsafePointer<CChar>?.self, reply) ?? nil else { return }
        let entry = String(cString: path)
        self.entry = entry
        add("clocksmith on \(host)", to: entry)
      }
    }
  }

  private func add(_ name: String, to entry: String) {
    let addService = { [type, port] (message: OpaquePointer) in
      func append(_ type: Unicode.Scalar, _ value: UnsafeRawPointer) {
        sd_bus_message_append_basic(message, CChar(type.value), value)
      }
      // Every interface and protocol, no flags.
      var (any, flags, port): (Int32, UInt32, UInt16) = (-1, 0, port)
      append("i", &any)
      append("i", &any)
      append("u", &flags)
      // The usual domain and host.
      for text in [name, type, "", ""] { BusWriter.append(text: text, to: message) }
      append("q", &port)
      let record = Array("path=/".utf8)
      sd_bus_message_open_container(message, CChar(UInt8(ascii: "a")), "ay")
      sd_bus_message_append_array(message, CChar(UInt8(ascii: "y")), record, record.count)
      sd_bus_message_close_container(message)
    }
    call(entry, Self.group, "AddService", arguments: addService) { [unowned self] _ in
      call(entry, Self.group, "Commit") { _ in }
    }
  }

  /// Calls a method of avahi; an earlier call is forgotten.
  /// - Parameter done: called with the answer, unless it is an error.
  private func call(
    _ path: String, _ interface: String, _ method: String,
    arguments: (OpaquePointer) -> Void = { _ in }, _ done: @escaping (OpaquePointer) -> Void
  ) {
    sd_bus_slot_unref(slot)
    slot = nil
    guard let bus,
      let message = try? BusMessage({
        sd_bus_message_new_method_call(bus.pointer, &$0, Self.name, path, interface, method)
      })
    else { return }
    sd_bus_message_set_auto_start(message.pointer, 0)
    arguments(message.pointer)
    answered = done
    sd_bus_call_async(
      bus.pointer, &slot, message.pointer,
      { reply, context, _ in
        guard let reply, sd_bus_message_is_method_error(reply, nil) == 0 else { return 0 }
        let avahi = Avahi.from(context)
        let answered = avahi.answered
        answered(reply)
        return 0
      }, Unmanaged.passUnretained(self).toOpaque(), 0)
  }

  private func read<Value>(
    _ type: Unicode.Scalar, as: Value.Type, _ message: OpaquePointer
  ) -> Value? {
    withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { buffer in
      sd_bus_message_read_basic(message, CChar(type.value), buffer.baseAddress!) > 0
        ? buffer[0] : nil
    }
  }
}
