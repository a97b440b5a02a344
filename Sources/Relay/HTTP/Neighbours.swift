import Basics
import CSystemd
import Daemon

/// The other clocks of the network whose page is announced (DNS-SD). avahi-daemon is asked each time anew, over
/// D-Bus.
final class Neighbours {
  typealias Answer = ([Record]) -> Void

  private static let avahi = "org.freedesktop.Avahi"
  /// It says after a second that it has heard all.
  private static let patience = Duration.seconds(3)
  private static let types: [String: (scheme: String, port: Int64)] = [
    "_http._tcp": ("http", 80), "_https._tcp": ("https", 443),
  ]
  /// What the page of a clock is announced as, before the name of the machine.
  private static let title = "clocksmith on "
  private static let most = 100
  /// The flag of what this very machine announces (AVAHI_LOOKUP_RESULT_LOCAL).
  private static let isOwn: Int64 = 8
  private static let (anyNetwork, noFlags) = (Value.integer(-1), Value.integer(0))

  private let loop: EventLoop
  private var waiting: [Answer] = []
  private var bus: SystemBus?
  private var timer: EventSource?
  /// Lists and addresses that are still to come.
  private var open = 0
  /// The addresses of pages by the names of their clocks; empty until one is known.
  private var found: [String: String] = [:]

  init(_ loop: EventLoop) { self.loop = loop }

  /// - Parameter answer: gets a record with `name` and `url` for each clock; none without avahi-daemon.
  func find(_ answer: @escaping Answer) {
    waiting.append(answer)
    guard waiting.count == 1 else { return }
    (found, open) = ([:], Self.types.count)
    do throws(Fault) {
      timer = try loop.after(Self.patience) { [unowned self] in end() }
      bus = try SystemBus(loop, isLast: false) { [unowned self] in endSoon() }
      try browse()
    } catch {
      end()
    }
  }

  private func browse() throws(Fault) {
    guard let bus else { return }
    // Before the lists are asked for: what they tell at once is heard, too.
    try bus.keep("listen to avahi-daemon") {
      sd_bus_match_signal_async(
        bus.pointer, &$0, Self.avahi, nil, "\(Self.avahi).ServiceBrowser", nil,
        { message, context, _ in
          Unmanaged<Neighbours>.fromOpaque(context!).takeUnretainedValue().heard(message!)
          return 0
        }, nil, Unmanaged.passUnretained(self).toOpaque())
    }
    for type in Self.types.keys {
      let words = [Self.anyNetwork, Self.anyNetwork, .text(type), .text("local"), Self.noFlags]
      try call("ServiceBrowserNew", "iissu", words) { [unowned self] in
        if sd_bus_message_is_method_error($0, nil) > 0 { closeOne() }
      }
    }
  }

  private func heard(_ message: OpaquePointer) {
    switch String(cString: sd_bus_message_get_member(message)) {
    case "ItemNew": lookUp(BusReader.values("iisssu", message))
    case "AllForNow", "Failure": closeOne()
    default: break
    }
  }

  /// Asks for the address of a clock, once for all its networks.
  /// - Parameter item: interface, protocol, title, type, domain and flags.
  private func lookUp(_ item: [Value]) {
    guard item.count == 6, case .text(let title) = item[2], case .text(let type) = item[3],
      case .integer(let flags) = item[5], flags & Self.isOwn == 0, title.hasPrefix(Self.title),
      let (scheme, usualPort) = Self.types[type]
    else { return }
    let name = String(title.dropFirst(Self.title.count))
    guard found[name] == nil, found.count < Self.most else { return }
    found[name] = ""
    open += 1
    do throws(Fault) {
      let words =
        [Self.anyNetwork, Self.anyNetwork] + item[2...4] + [Self.anyNetwork, Self.noFlags]
      try call("ResolveService", "iisssiu", words) { [unowned self] in
        let reply = BusReader.values("iissssisq", $0)
        if reply.count == 9, case .text(let host) = reply[5], case .integer(let port) = reply[8],
          WebAddress.isPlace(host)
        {
          found[name] = "\(scheme)://\(host)\(port == usualPort ? "" : ":\(port)")/"
        }
        closeOne()
      }
    } catch {
      closeOne()
    }
  }

  private func call(
    _ method: String, _ types: String, _ words: [Value],
    _ answered: @escaping (OpaquePointer) -> Void
  ) throws(Fault) {
    guard let bus else { return }
    let message = try BusMessage {
      sd_bus_message_new_method_call(
        bus.pointer, &$0, Self.avahi, "/", "\(Self.avahi).Server", method)
    }
    sd_bus_message_set_auto_start(message.pointer, 0)
    for (type, word) in zip(types, words) {
      BusWriter.append(word, String(type), to: message.pointer)
    }
    let call = PendingCall(answered)
    calls.append(call)
    try bus.keep("ask avahi-daemon") {
      sd_bus_call_async(
        bus.pointer, &$0, message.pointer,
        { reply, context, _ in
          Unmanaged<PendingCall>.fromOpaque(context!).takeUnretainedValue().answered(reply!)
          return 0
        }, Unmanaged.passUnretained(call).toOpaque(), Self.patience.microseconds)
    }
  }
  /// As long as the bus.
  private var calls: [PendingCall] = []

  private func closeOne() {
    open -= 1
    if open == 0 { endSoon() }
  }

  /// Not within an answer of the bus that is given up by it.
  private func endSoon() { timer?.goesOff(after: .zero) }

  private func end() {
    (timer, bus, calls) = (nil, nil, [])
    let clocks = found.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map { name, url in
      Record(["name": .text(name.printable), "url": .text(url)])
    }
    let answers = waiting
    waiting = []
    for answer in answers { answer(clocks) }
  }
}
