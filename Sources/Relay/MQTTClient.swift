import Basics
import CMosquitto
import CSystemd
import Daemon
@preconcurrency import Glibc

/// One connection to a broker by libmosquitto, from its beginning to its end.
///
/// libmosquitto blocks while it looks a name up and connects, so it runs in a thread of its own. That
/// thread waits while the loop serves an event of it: the two share nothing at the same time.
final class MQTTClient {
  enum Event {
    case accepted
    case received(topic: String, payload: [UInt8], isRetained: Bool)
    /// The broker refuses the subscription of this number.
    case denied(Int32)
    case ended(Fault)
  }

  /// How long an address may take to answer, and the broker to accept the connection.
  private static let patience = Duration.seconds(15)
  /// The keep-alive interval, in seconds. A side that stays silent for longer is taken for gone.
  private static let keepAlive: Int32 = 30
  /// The longest pause between two checks whether a ping is due, in milliseconds.
  private static let pause: Int32 = 10_000

  private let settings: RelayConfiguration.Broker
  private let client: OpaquePointer
  /// A byte in one direction for each event, and back when it is served.
  private let ends: (loop: Int32, thread: Int32)
  private let told: (Event) -> Void

  // The loop's.
  private var source: EventSource?
  private var deadline: EventSource?
  /// The broker has accepted the connection. Set while the thread waits.
  private(set) var isLetIn = false

  // The thread's.
  private var event: Event?
  /// The last error or warning of libmosquitto.
  private var words = ""

  /// - Parameter will: the topic on which the broker publishes `offline` if the connection breaks.
  init(
    _ settings: RelayConfiguration.Broker, id: String, will: String? = nil,
    _ told: @escaping (Event) -> Void
  ) throws(Fault) {
    (self.settings, self.told) = (settings, told)
    mosquitto_lib_init()
    var pair: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &pair) == 0, let made = mosquitto_new(id, true, nil) else {
      throw Fault("cannot make an MQTT client", errno: errno)
    }
    (client, ends) = (made, (pair[0], pair[1]))
    mosquitto_threaded_set(client, true)
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
    mosquitto_destroy(client)
    close(ends.loop)
    close(ends.thread)
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> MQTTClient {
    Unmanaged<MQTTClient>.fromOpaque(context!).takeUnretainedValue()
  }

  private func check(_ code: Int32) throws(Fault) {
    guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
    throw Fault("cannot make an MQTT client", code: code, String(cString: mosquitto_strerror(code)))
  }

  // MARK: The loop

  func connect(_ loop: EventLoop) throws(Fault) {
    source = try loop.whenReady(ends.loop, events: EPOLLIN.rawValue) { [unowned self] in serve() }
    // A signal with a handler interrupts connect(2): libmosquitto then tries the next address.
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in }
    sigaction(SIGUSR1, &action, nil)
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self).toOpaque()
    let code = pthread_create(&thread, nil, { MQTTClient.run($0) }, context)
    guard code == 0 else {
      Unmanaged<MQTTClient>.fromOpaque(context).release()
      throw Fault("cannot start a thread", errno: code)
    }
    pthread_detach(thread)
    deadline = try loop.every(Self.patience) { [thread] in pthread_kill(thread, SIGUSR1) }
  }

  private func serve() {
    var byte: UInt8 = 0
    guard read(ends.loop, &byte, 1) == 1, let event else { return }
    switch event {
    case .accepted: (isLetIn, deadline) = (true, nil)
    case .ended: (deadline, source) = (nil, nil)
    default: break
    }
    told(event)
    write(ends.loop, &byte, 1)
  }

  /// Says good-bye, so that the broker does not publish the will. Messages published before are
  /// sent, too, as far as the socket takes them.
  func disconnect() {
    (source, deadline) = (nil, nil)
    mosquitto_disconnect(client)
    shutdown(ends.loop, Int32(SHUT_WR))
    guard isLetIn else { return }
    // The end of the thread is a hang-up, which is always reported.
    var end = pollfd(fd: ends.loop, events: 0, revents: 0)
    poll(&end, 1, 1000)
  }

  func publish(_ topic: String, _ payload: String, qos: Int32, isRetained: Bool) -> Bool {
    mosquitto_publish(client, nil, topic, Int32(payload.utf8.count), payload, qos, isRetained)
      == MOSQ_ERR_SUCCESS.rawValue
  }

  func subscribe(to filter: String) -> Int32 {
    var number: Int32 = 0
    mosquitto_subscribe(client, &number, filter, 1)
    return number
  }

  // MARK: The thread

  private static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    let client = Unmanaged<MQTTClient>.fromOpaque(context!).takeRetainedValue()
    client.handOver(.ended(client.run()))
    shutdown(client.ends.thread, Int32(SHUT_RDWR))
    return nil
  }

  private func run() -> Fault {
    var code = mosquitto_connect(client, settings.host, Int32(settings.port), Self.keepAlive)
    let end = uptime + Self.patience
    while code == MOSQ_ERR_SUCCESS.rawValue {
      code = mosquitto_loop(client, isLetIn ? Self.pause : 1000, 1)
      if !isLetIn, uptime > end { return Fault(settings.name, "it does not answer") }
    }
    return Fault(settings.name, code: code, detail(code, errno))
  }

  /// Waits until the loop has served the event. If it serves none any more, ends the connection.
  private func handOver(_ event: Event) {
    self.event = event
    var byte: UInt8 = 0
    let isServed =
      write(ends.thread, &byte, 1) == 1
      && (try? retryingInterrupts("") { read(ends.thread, &byte, 1) }) == 1
    if !isServed { mosquitto_disconnect(client) }
  }

  private func listen() {
    mosquitto_connect_callback_set(client) { _, context, code in
      let client = MQTTClient.from(context)
      guard code != 0 else { return client.handOver(.accepted) }
      client.words = String(cString: mosquitto_connack_string(code))
    }
    mosquitto_message_callback_set(client) { _, context, message in
      guard let message = message?.pointee, let topic = message.topic else { return }
      let payload = UnsafeRawBufferPointer(
        start: message.payload, count: Int(message.payloadlen))
      MQTTClient.from(context).handOver(
        .received(
          topic: String(cString: topic), payload: Array(payload), isRetained: message.retain))
    }
    mosquitto_subscribe_callback_set(client) { _, context, number, count, granted in
      guard count > 0, let granted, granted[0] >= 0x80 else { return }
      MQTTClient.from(context).handOver(.denied(number))
    }
    mosquitto_log_callback_set(client) { _, context, level, words in
      guard level & Int32(MOSQ_LOG_ERR | MOSQ_LOG_WARNING) != 0, let words else { return }
      MQTTClient.from(context).words = String(cString: words)
    }
  }

  /// - Parameter cause: errno.
  private func detail(_ code: Int32, _ cause: Int32) -> String {
    // With TLS 1.3 a client takes the handshake for done before the broker has checked it, so the
    // broker's refusal may look like another end.
    if !isLetIn, settings.usesTLS {
      if let complaint = TLSContext.complaint {
        return "its certificate is not accepted: \(complaint); see 'authority' and 'broker'"
      }
      if words.hasPrefix("OpenSSL Error") {
        return "TLS cannot be agreed on: \(reason); see 'port', 'certificate' and 'key'"
      }
    }
    switch code {
    case MOSQ_ERR_CONN_REFUSED.rawValue:
      return "it refuses the connection: \(reason); see [mqtt] in the configuration"
    case MOSQ_ERR_EAI.rawValue:
      return "the name is not found: \(String(cString: gai_strerror(cause)))"
    case MOSQ_ERR_ERRNO.rawValue where cause == EINTR: return "it does not answer"
    case MOSQ_ERR_KEEPALIVE.rawValue: return "it does not answer any more"
    case MOSQ_ERR_PROTOCOL.rawValue, MOSQ_ERR_MALFORMED_PACKET.rawValue:
      return "what it sends is not MQTT"
    // The same end may arrive as an end of file or as a reset, by chance.
    case MOSQ_ERR_ERRNO.rawValue where ![ECONNRESET, EPIPE, EPROTO, 0].contains(cause):
      return String(cString: strerror(cause))
    default:
      return isLetIn
        ? "it has closed the connection"
        : "it closes the connection at once; is it a broker, and are 'port' and 'tls' right?"
    }
  }

  /// The last part of "OpenSSL Error[0]: error:0A00010B:SSL routines::wrong version number" or
  /// "Connection Refused: not authorised."
  private var reason: Substring {
    words.split(whereSeparator: ":.".contains).last?.drop { $0 == " " } ?? "no reason is given"
  }
}
