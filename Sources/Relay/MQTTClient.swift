import Basics
import CMosquitto
import CSystemd
import Daemon
@preconcurrency import Glibc

/// A message that was received.
public struct MQTTMessage: Sendable {
  public let topic: String
  public let payload: [UInt8]
  public let isRetained: Bool
}

/// One connection to a broker by libmosquitto, from its beginning to its end, served by the loop.
///
/// Nothing in it waits: sockets are asked when they are ready, and names are looked up before.
final class MQTTClient {
  struct Handlers {
    /// The broker has let us in.
    var connected: () -> Void
    var received: (MQTTMessage) -> Void
    /// It has ended, and why; told once, and nothing after it.
    var ended: (Fault) -> Void
  }

  /// How long the broker may take until it has let us in.
  private static let patience = Duration.seconds(15)
  /// How often libmosquitto looks whether a ping is due.
  private static let interval = Duration.seconds(5)
  /// In seconds: without a word for so long, either side takes the other for gone.
  private static let keepAlive: Int32 = 30

  private let loop: EventLoop
  private let broker: String
  private let handlers: Handlers
  private let client: OpaquePointer
  private var socket: EventSource?
  private var watched: Int32 = -1
  private var timers: [EventSource] = []
  private var deadline: EventSource?
  private var hasEnded = false
  /// What libmosquitto has said last of what went wrong.
  private var words = ""

  /// - Parameter id: by which the broker knows this client.
  init(
    _ settings: RelayConfiguration.Broker, id: String, will: (topic: String, payload: String),
    _ loop: EventLoop, _ handlers: Handlers
  ) throws(Fault) {
    self.loop = loop
    self.handlers = handlers
    broker = "\(settings.host):\(settings.port)"
    _ = Self.library
    guard let made = mosquitto_new(id, true, nil) else {
      throw Fault("cannot make an MQTT client", errno: errno)
    }
    client = made
    mosquitto_user_data_set(client, Unmanaged.passUnretained(self).toOpaque())
    try check(
      mosquitto_will_set(
        client, will.topic, Int32(will.payload.utf8.count), will.payload, 1, true), "set a will")
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

  /// mosquitto_lib_init(3), once.
  private static let library = mosquitto_lib_init()

  private static func from(_ context: UnsafeMutableRawPointer?) -> MQTTClient {
    Unmanaged<MQTTClient>.fromOpaque(context!).takeUnretainedValue()
  }

  private func useTLS(_ settings: RelayConfiguration.Broker) throws(Fault) {
    try settings.checkCertificates()
    let isFolder = isSpecialFile(settings.authorities)
    let authorities = settings.authorities
    // OpenSSL would ask a terminal for the password of a key, and wait.
    try check(
      mosquitto_tls_set(
        client, isFolder ? nil : authorities, isFolder ? authorities : nil, settings.certificate,
        settings.key, { _, _, _, _ in 0 }), "use TLS with \(authorities)")
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
      let payload = UnsafeRawBufferPointer(
        start: message.payload, count: Int(message.payloadlen))
      MQTTClient.from(context).handlers.received(
        MQTTMessage(
          topic: String(cString: topic), payload: Array(payload), isRetained: message.retain))
    }
    mosquitto_log_callback_set(client) { _, context, level, words in
      guard level & Int32(MOSQ_LOG_ERR | MOSQ_LOG_WARNING) != 0, let words else { return }
      MQTTClient.from(context).words = String(cString: words)
    }
  }

  // MARK: The connection

  /// Begins to connect.
  /// - Parameter host: an address, or where the certificate is judged by it, a name that was found
  ///   a moment ago.
  func connect(to host: String, port: Int) throws(Fault) {
    deadline = try loop.after(Self.patience) { [unowned self] in
      end(Fault(broker, "it does not answer"))
    }
    try check(mosquitto_connect_async(client, host, Int32(port), Self.keepAlive), nil)
    timers.append(
      try loop.every(Self.interval) { [unowned self] in serve(mosquitto_loop_misc(client)) })
    try watch()
  }

  /// Says good-bye, so that the broker does not publish the will. What was published before is sent
  /// with it as far as the socket takes it.
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
    timers = []
    deadline = nil
  }

  /// Watches the socket that there is, for what it is waited for.
  private func watch() throws(Fault) {
    let descriptor = mosquitto_socket(client)
    guard descriptor >= 0 else { return }
    let events = EPOLLIN.rawValue | (mosquitto_want_write(client) ? EPOLLOUT.rawValue : 0)
    if descriptor != watched || socket == nil {
      socket = nil
      socket = try loop.whenReady(descriptor, events: events) { [unowned self] in turn() }
      watched = descriptor
    } else {
      socket?.watches(events)
    }
  }

  private func turn() {
    if mosquitto_want_write(client), !serve(mosquitto_loop_write(client, 1)) { return }
    serve(mosquitto_loop_read(client, 1))
  }

  /// Looks at what a call has brought.
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
      return end(
        Fault(broker, code: code, "\(Self.refusal(code)); see [mqtt] of the configuration"))
    }
    handlers.connected()
  }

  private static func refusal(_ code: Int32) -> String {
    "it refuses the connection: \(String(cString: mosquitto_connack_string(code)))"
  }

  private func lost(_ code: Int32) { end(fault(code)) }

  private func end(_ fault: Fault) {
    guard !hasEnded else { return }
    hasEnded = true
    close()
    // Whoever is told releases this, and libmosquitto may be in the middle of it.
    deadline = try? loop.after(.zero) { [handlers] in handlers.ended(fault) }
  }

  private func check(_ code: Int32, _ operation: String?) throws(Fault) {
    guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
    let fault = fault(code)
    throw operation.map { Fault("cannot \($0)", code: fault.code, fault.detail) } ?? fault
  }

  private func fault(_ code: Int32) -> Fault {
    let detail: String
    switch code {
    case MOSQ_ERR_ERRNO.rawValue: detail = String(cString: strerror(errno))
    case MOSQ_ERR_SUCCESS.rawValue, MOSQ_ERR_CONN_LOST.rawValue:
      detail = "it has closed the connection"
    case MOSQ_ERR_KEEPALIVE.rawValue: detail = "it does not answer any more"
    case MOSQ_ERR_PROTOCOL.rawValue, MOSQ_ERR_MALFORMED_PACKET.rawValue:
      detail = "what it sends is not MQTT"
    default: detail = String(cString: mosquitto_strerror(code))
    }
    // Of TLS the code says nothing, and the log what OpenSSL has found.
    let isTold = code == MOSQ_ERR_TLS.rawValue || code == MOSQ_ERR_EAI.rawValue
    return Fault(broker, code: code, isTold && !words.isEmpty ? "\(detail): \(words)" : detail)
  }

  // MARK: Messages

  /// - Returns: false if it is not sent: there is no connection, or too much waits already.
  @discardableResult
  func publish(_ topic: String, _ payload: String, isRetained: Bool) -> Bool {
    guard !hasEnded else { return false }
    let code = mosquitto_publish(
      client, nil, topic, Int32(payload.utf8.count), payload, 1, isRetained)
    wake()
    return code == MOSQ_ERR_SUCCESS.rawValue
  }

  func subscribe(to filter: String) {
    guard !hasEnded else { return }
    mosquitto_subscribe(client, nil, filter, 1)
    wake()
  }

  /// What was asked for may wait to be written.
  private func wake() {
    do throws(Fault) { try watch() } catch { end(error) }
  }
}
