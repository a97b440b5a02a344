import Basics
import CMosquitto
import CSystemd
import Daemon
@preconcurrency import Glibc

/// One connection to a broker by libmosquitto, from its beginning to its end, run by the loop.
///
/// It never blocks: libmosquitto uses its socket when that is ready, and gets addresses, because it
/// would wait for a name.
final class MQTTClient {
  enum Event {
    case accepted
    case received(topic: String, payload: [UInt8], isRetained: Bool)
    /// The broker refuses the subscription of this number.
    case denied(Int32)
    /// The last one.
    case ended(Fault)
  }

  /// How long the broker may take at each address to accept the connection.
  private static let patience = Duration.seconds(15)
  /// The keep-alive interval, in seconds. A side that stays silent for longer is taken for gone.
  private static let keepAlive: Int32 = 30
  /// How often libmosquitto checks whether a ping is due.
  private static let interval = Duration.seconds(10)

  private let settings: RelayConfiguration.Broker
  private let loop: EventLoop
  private let client: OpaquePointer
  private let told: (Event) -> Void
  private var lookup: NameLookup?
  /// Those that are still to be tried.
  private var addresses: ArraySlice<String> = []
  private var socket: EventSource?
  /// Ends the handshakes, and then causes the pings.
  private var timer: EventSource?
  private(set) var isAccepted = false
  /// The last error or warning of libmosquitto.
  private var words = ""
  /// What is wrong with the broker's certificate.
  private var complaint: String?

  /// - Parameter will: the topic on which the broker publishes `offline` if the connection breaks.
  init(
    _ settings: RelayConfiguration.Broker, _ loop: EventLoop, id: String, will: String? = nil,
    _ told: @escaping (Event) -> Void
  ) throws(Fault) {
    (self.settings, self.loop, self.told) = (settings, loop, told)
    mosquitto_lib_init()
    guard let made = mosquitto_new(id, true, nil) else {
      throw Fault("cannot make an MQTT client", errno: errno)
    }
    client = made
    mosquitto_user_data_set(client, Unmanaged.passUnretained(self).toOpaque())
    let offline = "offline"
    if let will {
      try check(mosquitto_will_set(client, will, Int32(offline.utf8.count), offline, 1, true))
    }
    if let user = settings.user {
      try check(mosquitto_username_pw_set(client, user, try settings.password()))
    }
    if settings.usesTLS {
      let context = try TLSContext.expecting(settings)
      defer { TLSContext.free(context) }
      try check(
        mosquitto_void_option(client, MOSQ_OPT_SSL_CTX, UnsafeMutableRawPointer(context)))
      try check(mosquitto_int_option(client, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0))
    }
    listen()
  }

  deinit {
    // Before libmosquitto closes its descriptor.
    socket = nil
    mosquitto_destroy(client)
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> MQTTClient {
    Unmanaged<MQTTClient>.fromOpaque(context!).takeUnretainedValue()
  }

  private func check(_ code: Int32) throws(Fault) {
    guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
    throw Fault("cannot make an MQTT client", code: code, String(cString: mosquitto_strerror(code)))
  }

  private func listen() {
    mosquitto_connect_callback_set(client) { _, context, code in
      let client = MQTTClient.from(context)
      if code == 0 {
        client.accept()
      } else {
        client.words = String(cString: mosquitto_connack_string(code))
      }
    }
    mosquitto_message_callback_set(client) { _, context, message in
      guard let message = message?.pointee, let topic = message.topic else { return }
      let payload = UnsafeRawBufferPointer(
        start: message.payload, count: Int(message.payloadlen))
      MQTTClient.from(context).told(
        .received(
          topic: String(cString: topic), payload: Array(payload), isRetained: message.retain))
    }
    mosquitto_subscribe_callback_set(client) { _, context, number, count, granted in
      guard count > 0, let granted, granted[0] >= 0x80 else { return }
      MQTTClient.from(context).told(.denied(number))
    }
    mosquitto_log_callback_set(client) { mosquitto, context, level, words in
      guard level & Int32(MOSQ_LOG_ERR | MOSQ_LOG_WARNING) != 0, let words else { return }
      let client = MQTTClient.from(context)
      client.words = String(cString: words)
      client.complaint = TLSContext.complaint(of: mosquitto_ssl_get(mosquitto)) ?? client.complaint
    }
  }

  // MARK: The connection

  func connect() throws(Fault) {
    lookup = try NameLookup(settings.host, loop) { [unowned self] in
      lookup = nil
      switch $0 {
      case .success(let found):
        addresses = found[...]
        connectToNext()
      case .failure(let fault): told(.ended(fault))
      }
    }
  }

  private func connectToNext() {
    (words, complaint) = ("", nil)
    guard let address = addresses.popFirst(),
      serve(mosquitto_connect_async(client, address, Int32(settings.port), Self.keepAlive))
    else { return }
    do throws(Fault) {
      timer = try loop.after(Self.patience) { [unowned self] in end(0, "it does not answer") }
      // Writable when it is made, or has failed.
      socket = try loop.whenReady(mosquitto_socket(client), events: EPOLLOUT.rawValue) {
        [unowned self] in turn()
      }
    } catch {
      told(.ended(error))
    }
  }

  private func turn() {
    if !isAccepted {
      // In the handshake of TLS libmosquitto does not tell that the connection fails or ends.
      var byte: UInt8 = 0
      let count = recv(mosquitto_socket(client), &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
      guard count > 0 || count < 0 && errno == EAGAIN else {
        serve((count == 0 ? MOSQ_ERR_CONN_LOST : MOSQ_ERR_ERRNO).rawValue)
        return
      }
    }
    serve(wantsToWrite ? mosquitto_loop_write(client, 1) : mosquitto_loop_read(client, 1))
  }

  /// Then it does not read: a broker that takes nothing would fill the memory with answers to it.
  private var wantsToWrite: Bool {
    // In the handshake of TLS libmosquitto always wants to write, but has to read.
    mosquitto_want_write(client) && !TLSContext.isShakingHands(mosquitto_ssl_get(client))
  }

  private func accept() {
    isAccepted = true
    timer = try? loop.every(Self.interval) { [unowned self] in serve(mosquitto_loop_misc(client)) }
    told(.accepted)
  }

  /// Handles the result of a call of libmosquitto.
  /// - Returns: false if the connection has ended.
  @discardableResult
  private func serve(_ code: Int32) -> Bool {
    let cause = errno
    guard code == MOSQ_ERR_SUCCESS.rawValue else {
      end(code, detail(code, cause))
      return false
    }
    watch()
    return true
  }

  private func watch() {
    socket?.watches(wantsToWrite ? EPOLLOUT.rawValue : EPOLLIN.rawValue)
  }

  private func end(_ code: Int32, _ detail: String) {
    (socket, timer) = (nil, nil)
    if isAccepted || addresses.isEmpty {
      told(.ended(Fault(settings.name, code: code, detail)))
    } else {
      connectToNext()
    }
  }

  /// Says good-bye, so that the broker does not publish the will. Messages published before are
  /// sent, too, as far as the socket takes them.
  func disconnect() {
    (lookup, socket, timer) = (nil, nil, nil)
    mosquitto_disconnect(client)
  }

  /// - Parameter cause: errno.
  private func detail(_ code: Int32, _ cause: Int32) -> String {
    // With TLS 1.3 a client takes the handshake for done before the broker has checked it, so the
    // broker's refusal may look like another end.
    if !isAccepted, let complaint {
      return "its certificate is not accepted: \(complaint); see 'authority' and 'broker'"
    }
    if !isAccepted, words.hasPrefix("OpenSSL Error") {
      return "TLS cannot be agreed on: \(reason); see 'port', 'certificate' and 'key'"
    }
    switch code {
    case MOSQ_ERR_CONN_REFUSED.rawValue:
      return "it refuses the connection: \(reason); see [mqtt] in the configuration"
    case MOSQ_ERR_KEEPALIVE.rawValue: return "it does not answer any more"
    case MOSQ_ERR_PROTOCOL.rawValue, MOSQ_ERR_MALFORMED_PACKET.rawValue:
      return "what it sends is not MQTT"
    // The same end may arrive as an end of file or as a reset, by chance.
    case MOSQ_ERR_ERRNO.rawValue where ![ECONNRESET, EPIPE, EPROTO, 0].contains(cause):
      return String(cString: strerror(cause))
    default:
      // A port on which nobody listens may look like one that is closed at once.
      return isAccepted
        ? "it has closed the connection"
        : "it takes no connection, or closes it at once; is it a broker, and are 'port' and 'tls' right?"
    }
  }

  /// The last part of "OpenSSL Error[0]: error:0A00010B:SSL routines::wrong version number" or
  /// "Connection Refused: not authorised."
  private var reason: Substring {
    words.split(whereSeparator: ":.".contains).last?.drop { $0 == " " } ?? "no reason is given"
  }

  // MARK: Messages

  func publish(_ topic: String, _ payload: String, qos: Int32, isRetained: Bool) -> Bool {
    defer { watch() }
    return mosquitto_publish(
      client, nil, topic, Int32(payload.utf8.count), payload, qos, isRetained)
      == MOSQ_ERR_SUCCESS.rawValue
  }

  func subscribe(to filter: String) -> Int32 {
    defer { watch() }
    var number: Int32 = 0
    mosquitto_subscribe(client, &number, filter, 1)
    return number
  }
}
