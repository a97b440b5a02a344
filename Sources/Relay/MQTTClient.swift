import Basics
import CMosquitto
import CSystemd
import Daemon
@preconcurrency import Glibc

/// One connection to a broker by libmosquitto, from its beginning to its end, run by the loop.
///
/// It never blocks: it uses sockets only when they are ready, and gets addresses instead of names.
final class MQTTClient {
  /// How long the broker may take to accept the connection.
  private static let patience = Duration.seconds(15)
  /// How often libmosquitto checks whether a ping is due. The broker waits 1.5 times `keepAlive`.
  private static let interval = Duration.seconds(10)
  /// Interval between checks of a handshake, for progress that the socket does not signal.
  private static let glance = Duration.milliseconds(500)
  /// The keep-alive interval, in seconds. A side that stays silent for longer is taken for gone.
  private static let keepAlive: Int32 = 30

  private let loop: EventLoop
  private let broker: String
  private unowned let link: BrokerLink
  private let client: OpaquePointer
  private var socket: EventSource?
  private var watched: Int32 = -1
  private var timer: EventSource?
  private var handshake: EventSource?
  private var tls: TLSContext?
  /// The TCP connection is made; the rest of the handshakes waits for data from the broker.
  private var isReached = false
  private var isLetIn = false
  private var subscriptions: [Int32: String] = [:]
  private var deadline: EventSource?
  private var hasEnded = false
  /// The last error or warning of libmosquitto.
  private var words = ""

  init(
    _ settings: RelayConfiguration.Broker, id: String, will: (topic: String, payload: String)?,
    _ loop: EventLoop, _ link: BrokerLink
  ) throws(Fault) {
    self.loop = loop
    self.link = link
    broker = "\(settings.host):\(settings.port)"
    _ = Self.library
    guard let made = mosquitto_new(id, true, nil) else {
      throw Fault("cannot make an MQTT client", errno: errno)
    }
    client = made
    mosquitto_user_data_set(client, Unmanaged.passUnretained(self).toOpaque())
    if let will {
      try check(
        mosquitto_will_set(
          client, will.topic, Int32(will.payload.utf8.count), will.payload, 1, true), "set a will")
    }
    if let user = settings.user {
      try check(
        mosquitto_username_pw_set(client, user, try settings.password()), "give user and password")
    }
    if settings.usesTLS { try useTLS(settings) }
    listen()
  }

  deinit {
    socket = nil
    mosquitto_destroy(client)
  }

  private static let library = mosquitto_lib_init()

  private static func from(_ context: UnsafeMutableRawPointer?) -> MQTTClient {
    Unmanaged<MQTTClient>.fromOpaque(context!).takeUnretainedValue()
  }

  private func useTLS(_ settings: RelayConfiguration.Broker) throws(Fault) {
    let context = try TLSContext(settings)
    tls = context
    try check(
      mosquitto_void_option(client, MOSQ_OPT_SSL_CTX, UnsafeMutableRawPointer(context.pointer)),
      "use TLS")
    try check(mosquitto_int_option(client, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0), "use TLS")
  }

  private func listen() {
    mosquitto_connect_callback_set(client) { _, context, code in
      MQTTClient.from(context).answered(code)
    }
    mosquitto_disconnect_callback_set(client) { _, context, code in
      MQTTClient.from(context).lost(code)
    }
    mosquitto_message_callback_set(client) { _, context, message in
      guard let message = message?.pointee, let topic = message.topic else { return }
      let size = Int(message.payloadlen)
      let payload = UnsafeRawBufferPointer(
        start: message.payload, count: size <= Order.largestPayload ? size : 0)
      MQTTClient.from(context).link.received(
        MQTTMessage(
          topic: String(cString: topic), payload: Array(payload), size: size,
          isRetained: message.retain))
    }
    mosquitto_subscribe_callback_set(client) { _, context, message, count, granted in
      let isDenied = count > 0 && granted.map { $0[0] >= 0x80 } == true
      MQTTClient.from(context).subscribed(message, isDenied)
    }
    mosquitto_log_callback_set(client) { _, context, level, words in
      guard level & Int32(MOSQ_LOG_ERR | MOSQ_LOG_WARNING) != 0, let words else { return }
      MQTTClient.from(context).words = String(cString: words)
    }
  }

  // MARK: The connection

  /// - Parameter address: a numeric address. libmosquitto would block to look a name up.
  func connect(to address: String, port: Int) throws(Fault) {
    deadline = try loop.after(Self.patience) { [unowned self] in
      end(Fault(broker, "it does not answer"))
    }
    try check(mosquitto_connect_async(client, address, Int32(port), Self.keepAlive), nil)
    timer = try loop.every(Self.interval) { [unowned self] in serve(mosquitto_loop_misc(client)) }
    handshake = try loop.every(Self.glance) { [unowned self] in shakeHands() }
    try watch()
  }

  /// Says good-bye, so that the broker does not publish the will. Messages published before are
  /// sent, too, as far as the socket takes them.
  func disconnect() {
    guard !hasEnded else { return }
    hasEnded = true
    mosquitto_disconnect(client)
    mosquitto_loop_write(client, 1)
    close()
  }

  private func close() {
    socket = nil
    watched = -1
    timer = nil
    handshake = nil
    deadline = nil
  }

  private func watch() throws(Fault) {
    let descriptor = mosquitto_socket(client)
    guard descriptor >= 0 else { return }
    // In the TLS handshake libmosquitto always wants to write, but can only read.
    let writes = isLetIn ? mosquitto_want_write(client) : !isReached
    let events = (reads ? EPOLLIN.rawValue : 0) | (writes ? EPOLLOUT.rawValue : 0)
    if events == 0 {
      // A lost connection would be reported again and again.
      socket = nil
    } else if descriptor != watched || socket == nil {
      socket = nil
      socket = try loop.whenReady(descriptor, events: events) { [unowned self] in turn() }
      watched = descriptor
    } else {
      socket?.watches(events)
    }
  }

  private func turn() {
    guard isLetIn else { return shakeHands() }
    if mosquitto_want_write(client), !serve(mosquitto_loop_write(client, 1)) { return }
    if reads { serve(mosquitto_loop_read(client, 1)) }
  }

  /// False while messages are left in the socket: then TCP and the broker hold them back.
  /// libmosquitto confirms each message that it reads, even before it hands it over.
  private var reads: Bool { !isLetIn || (link.hasRoom && !mosquitto_want_write(client)) }

  /// Continues the handshakes as far as the broker's data allows.
  private func shakeHands() {
    guard !hasEnded, isConnected() else { return }
    isReached = true
    guard serve(mosquitto_loop_read(client, 1)) else { return }
    if mosquitto_want_write(client), !serve(mosquitto_loop_write(client, 1)) { return }
    // Some versions of libmosquitto do not tell of a connection that ends within the handshake.
    var byte: UInt8 = 0
    let count = recv(watched, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    if count == 0 {
      lost(MOSQ_ERR_CONN_LOST.rawValue)
    } else if count < 0, errno != EAGAIN, errno != EINTR {
      lost(MOSQ_ERR_ERRNO.rawValue)
    }
  }

  /// True if the connection is made. If it could not be made, ends it.
  private func isConnected() -> Bool {
    // A connection that was made and reset may still hold what the broker sent before, such as a
    // TLS alert. SO_ERROR would only tell of the reset.
    if isReached { return true }
    var descriptor = pollfd(fd: watched, events: Int16(POLLOUT), revents: 0)
    guard watched >= 0, poll(&descriptor, 1, 0) > 0 else { return false }
    // Whether it is made has to be asked before what went wrong: between the two, it may be reset.
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let isMade = withUnsafeMutableBytes(of: &address) {
      getpeername(watched, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length) == 0
    }
    if isMade { return true }
    // With TLS, libmosquitto may have tried to write, and so was told instead: then this is 0.
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(watched, SOL_SOCKET, SO_ERROR, &code, &size)
    errno = code
    lost(MOSQ_ERR_ERRNO.rawValue)
    return false
  }

  /// Handles the result of a libmosquitto call.
  /// - Returns: false if the connection has ended.
  @discardableResult
  private func serve(_ code: Int32) -> Bool {
    guard !hasEnded else { return false }
    if code != MOSQ_ERR_SUCCESS.rawValue {
      lost(code)
      return false
    }
    do throws(Fault) {
      try watch()
    } catch {
      end(error)
      return false
    }
    return true
  }

  private func answered(_ code: Int32) {
    deadline = nil
    guard code == 0 else {
      // As in "Connection Refused: not authorised."
      let why = String(cString: mosquitto_connack_string(code)).dropLast().split(separator: ":")
      return end(
        Fault(
          broker, code: code,
          "it refuses the connection:\(why.last ?? ""); see [mqtt] in the configuration"))
    }
    isLetIn = true
    handshake = nil
    link.accepted()
  }

  private func lost(_ code: Int32) { end(fault(code)) }

  private func end(_ fault: Fault) {
    guard !hasEnded else { return }
    hasEnded = true
    close()
    // The handler releases this client, and libmosquitto may still be running in it: call it later.
    deadline = try? loop.after(.zero) { [unowned link] in link.lose(fault) }
  }

  private func check(_ code: Int32, _ operation: String?) throws(Fault) {
    guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
    let fault = fault(code)
    throw operation.map { Fault("cannot \($0)", code: fault.code, fault.detail) } ?? fault
  }

  private func fault(_ code: Int32) -> Fault {
    let detail: String
    switch code {
    // With TLS 1.3 a client takes the handshake for done before the broker has checked it.
    // libmosquitto then tells of a lost connection.
    case _ where !isLetIn && strstr(words, " alert ") != nil: detail = tlsWords
    // libmosquitto's sign that TLS has failed.
    case MOSQ_ERR_ERRNO.rawValue where errno == EPROTO && tls != nil: detail = tlsWords
    // The same end may arrive as an end of file or as a reset, by chance.
    case MOSQ_ERR_ERRNO.rawValue where errno == ECONNRESET || errno == EPIPE || errno == 0:
      detail = wordsOfEnd
    case MOSQ_ERR_ERRNO.rawValue: detail = String(cString: strerror(errno))
    case MOSQ_ERR_SUCCESS.rawValue, MOSQ_ERR_CONN_LOST.rawValue: detail = wordsOfEnd
    case MOSQ_ERR_KEEPALIVE.rawValue: detail = "it does not answer any more"
    case MOSQ_ERR_PROTOCOL.rawValue, MOSQ_ERR_MALFORMED_PACKET.rawValue:
      detail = "what it sends is not MQTT"
    case MOSQ_ERR_TLS.rawValue: detail = tlsWords
    default: detail = String(cString: mosquitto_strerror(code)).lowercasedFirst
    }
    return Fault(broker, code: code, detail)
  }

  private var wordsOfEnd: String {
    // A port on which nobody listens may look like one that is closed at once.
    isLetIn
      ? "it has closed the connection"
      : "it takes no connection, or closes it at once; is it a broker, and are 'port' and 'tls' right?"
  }

  private var tlsWords: String {
    if let complaint = tls?.complaint {
      return "its certificate is not accepted: \(complaint); see 'authority' and 'broker'"
    }
    // As in "OpenSSL Error[0]: error:0A00010B:SSL routines::wrong version number".
    let reason = words.split(separator: ":").last ?? "no reason is given"
    return "TLS cannot be agreed on: \(reason); see 'port', 'certificate' and 'key'"
  }

  // MARK: Messages

  /// - Returns: false if the message is not sent.
  func publish(
    _ topic: String, _ payload: String, qos: Int32 = 1, isRetained: Bool = true
  ) -> Bool {
    guard !hasEnded else { return false }
    let code = mosquitto_publish(
      client, nil, topic, Int32(payload.utf8.count), payload, qos, isRetained)
    wake()
    return code == MOSQ_ERR_SUCCESS.rawValue
  }

  func subscribe(to filter: String) {
    guard !hasEnded else { return }
    var message: Int32 = 0
    mosquitto_subscribe(client, &message, filter, 1)
    subscriptions[message] = filter
    wake()
  }

  private func subscribed(_ message: Int32, _ isDenied: Bool) {
    guard let filter = subscriptions.removeValue(forKey: message), isDenied else { return }
    link.tellDenial(of: filter)
  }

  func wake() {
    guard !hasEnded else { return }
    do throws(Fault) { try watch() } catch { end(error) }
  }
}

extension String {
  /// A sentence for use after a colon: its first letter small, without the full stop.
  fileprivate var lowercasedFirst: String {
    let sentence = last == "." ? dropLast() : self[...]
    return sentence.prefix(1).lowercased() + sentence.dropFirst()
  }
}

struct MQTTMessage: Sendable {
  let topic: String
  /// Empty if it is larger than any command.
  let payload: [UInt8]
  /// The size of the payload as it was sent, in bytes.
  let size: Int
  let isRetained: Bool
}
