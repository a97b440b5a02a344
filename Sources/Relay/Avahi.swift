import Basics
import CSystemd
import Daemon

/// Announces the face in the local network, so that others find it by `_http._tcp`: through the D-Bus
/// of avahi-daemon, for as long as this exists. Without avahi nothing happens; one that comes later,
/// or again, is used then.
final class Avahi {
  private static let name = "org.freedesktop.Avahi"
  /// In microseconds. avahi-daemon does not wait for the network before it answers.
  private static let patience: UInt64 = 1_000_000

  private let loop: EventLoop
  private let port: UInt16
  private let type: String
  /// avahi withdraws what was announced when this ends.
  private var bus: SystemBus?
  private var timer: EventSource?
  private var outage = Outage()

  init(_ loop: EventLoop, port: UInt16, usesTLS: Bool) {
    self.loop = loop
    self.port = port
    type = usesTLS ? "_https._tcp" : "_http._tcp"
    connect()
  }

  private func connect() {
    do throws(Fault) {
      let bus = try SystemBus(loop, isLast: true) { [unowned self] in lose() }
      self.bus = bus
      let rules = [
        "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(Self.name)'",
        // Also after avahi has given the machine another name.
        "type='signal',sender='\(Self.name)',interface='\(Self.name).Server',member='StateChanged'",
      ]
      for rule in rules {
        try bus.keep("watch the system bus") {
          sd_bus_add_match_async(
            bus.pointer, &$0, rule,
            { _, context, _ in
              Unmanaged<Avahi>.fromOpaque(context!).takeUnretainedValue().connect()
              return 0
            }, nil, Unmanaged.passUnretained(self).toOpaque())
        }
      }
      _ = outage.ends()
      // Without avahi, its signal tells when to try again.
      try? announce(on: bus)
    } catch {
      lose()
    }
  }

  private func lose() {
    bus = nil
    timer = try? loop.after(outage.nextWait()) { [unowned self] in connect() }
  }

  private func announce(on bus: SystemBus) throws(Fault) {
    // The name that no other machine of this network has.
    let reply = try call(bus, "/", "Server", "GetHostName")
    guard case .text(let host)? = BusReader.value("s", reply.pointer) else { return }
    let made = try call(bus, "/", "Server", "EntryGroupNew")
    var path: UnsafePointer<CChar>?
    guard sd_bus_message_read_basic(made.pointer, CChar(UInt8(ascii: "o")), &path) > 0, let path
    else { return }
    let group = String(cString: path)
    _ = try call(bus, group, "EntryGroup", "AddService") { [type, port] message in
      func append(_ type: Unicode.Scalar, _ value: UnsafeRawPointer) {
        sd_bus_message_append_basic(message, CChar(type.value), value)
      }
      // Every interface and protocol, no flags.
      var (any, flags, port): (Int32, UInt32, UInt16) = (-1, 0, port)
      append("i", &any)
      append("i", &any)
      append("u", &flags)
      // The usual domain and host.
      for text in ["clocksmith on \(host)", type, "", ""] {
        BusWriter.append(text: text, to: message)
      }
      append("q", &port)
      let record = Array("path=/".utf8)
      sd_bus_message_open_container(message, CChar(UInt8(ascii: "a")), "ay")
      sd_bus_message_append_array(message, CChar(UInt8(ascii: "y")), record, record.count)
      sd_bus_message_close_container(message)
    }
    _ = try call(bus, group, "EntryGroup", "Commit")
  }

  private func call(
    _ bus: SystemBus, _ path: String, _ interface: String, _ method: String,
    arguments: (OpaquePointer) -> Void = { _ in }
  ) throws(Fault) -> BusMessage {
    let message = try BusMessage {
      sd_bus_message_new_method_call(
        bus.pointer, &$0, Self.name, path, "\(Self.name).\(interface)", method)
    }
    sd_bus_message_set_auto_start(message.pointer, 0)
    arguments(message.pointer)
    return try BusMessage { sd_bus_call(bus.pointer, message.pointer, Self.patience, nil, &$0) }
  }
}
