import Basics
import CSystemd
import Daemon

/// Announces the face in the local network, so that others find it by `_http._tcp`: through the D-Bus
/// of avahi-daemon, for as long as this exists. Without avahi nothing happens; one that comes later,
/// or again, is used then.
final class Avahi {
  private static let name = "org.freedesktop.Avahi"

  private let loop: EventLoop
  private let port: UInt16
  private let type: String
  /// avahi withdraws what was announced when this ends.
  private var bus: SystemBus?
  private var timer: EventSource?
  private var outage = Outage()
  /// What is done with the answer to the last call.
  private var answered: (OpaquePointer) -> Void = { _ in }

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
      try announce()
    } catch {
      lose()
    }
  }

  private func lose() {
    bus = nil
    timer = try? loop.after(outage.nextWait()) { [unowned self] in connect() }
  }

  private func announce() throws(Fault) {
    // The name that no other machine of this network has.
    try call("/", "Server", "GetHostName") { [unowned self] reply in
      guard case .text(let host)? = BusReader.value("s", reply) else { return }
      try? call("/", "Server", "EntryGroupNew") { [unowned self] reply in
        var path: UnsafePointer<CChar>?
        guard sd_bus_message_read_basic(reply, CChar(UInt8(ascii: "o")), &path) > 0, let path
        else { return }
        let group = String(cString: path)
        let arguments = { [unowned self] in appendService("clocksmith on \(host)", to: $0) }
        try? call(group, "EntryGroup", "AddService", arguments: arguments) { _ in }
        try? call(group, "EntryGroup", "Commit") { _ in }
      }
    }
  }

  private func appendService(_ name: String, to message: OpaquePointer) {
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

  /// - Parameter answered: called with the answer, unless that is an error: without avahi, its signal
  ///   tells when to try again.
  private func call(
    _ path: String, _ interface: String, _ method: String,
    arguments: (OpaquePointer) -> Void = { _ in },
    _ answered: @escaping (OpaquePointer) -> Void
  ) throws(Fault) {
    guard let bus else { return }
    let message = try BusMessage {
      sd_bus_message_new_method_call(
        bus.pointer, &$0, Self.name, path, "\(Self.name).\(interface)", method)
    }
    sd_bus_message_set_auto_start(message.pointer, 0)
    arguments(message.pointer)
    self.answered = answered
    try bus.keep("call avahi") {
      sd_bus_call_async(
        bus.pointer, &$0, message.pointer,
        { reply, context, _ in
          guard let reply, sd_bus_message_is_method_error(reply, nil) == 0 else { return 0 }
          let answered = Unmanaged<Avahi>.fromOpaque(context!).takeUnretainedValue().answered
          answered(reply)
          return 0
        }, Unmanaged.passUnretained(self).toOpaque(), 0)
    }
  }
}
