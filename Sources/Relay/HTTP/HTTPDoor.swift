import Basics
import COpenSSL
import Daemon

/// The HTTP door for apps: checks who may come in, and serves the paths of
/// docs/clocksmith-relay.openapi.json.
final class HTTPDoor {
  /// The settings of the door, with the contents of the files that the configuration names.
  struct Settings: Hashable {
    let http: HTTPConfiguration
    let token: AccessToken
    let identity: TLSIdentity?

    init(_ http: HTTPConfiguration) throws(Fault) {
      self.http = http
      token = try http.token()
      identity = try http.identity()
    }
  }

  struct Handlers {
    /// The state of the clock as JSON, or why there is none.
    var state: () -> Result<String, Rejection>
    /// Carries out the command in the body of a request to this path. Keys that are `known` must
    /// not be in the body.
    var carryOut:
      (
        _ path: String, _ body: [UInt8], _ known: [(key: String, text: String)],
        _ answer: @escaping (CommandOutcome) -> Void
      ) -> Void
    /// A refusal that the owner should know of.
    var refused: (Rejection, _ path: String) -> Void
  }

  static let statePath = "/v1/state"
  static let commandsPath = "/v1/commands"
  /// Followed by the token of a device.
  static let devicesPath = "/v1/devices/"

  let settings: Settings
  private let handlers: Handlers
  private var budgets: RequestBudgets?
  private var server: HTTPServer?

  /// - Throws: `Fault` if the server cannot listen there.
  init(_ loop: EventLoop, _ settings: Settings, _ handlers: Handlers) throws(Fault) {
    self.settings = settings
    self.handlers = handlers
    budgets = settings.http.requestsPerMinute.map { RequestBudgets(perMinute: $0) }
    let server = HTTPServer(
      loop, settings.http.listen, settings.identity,
      .init(
        judge: { [unowned self] in judge($0) }, headers: { [unowned self] in headers(to: $0) },
        serve: { [unowned self] in serve($0) }))
    self.server = server
    try server.open()
  }

  func close() {
    server?.close()
    server = nil
  }

  // MARK: Who may come in

  private func judge(_ head: HTTPHead) -> HTTPAnswer? {
    refusal(of: head.address, head.path) ?? permission(for: head) ?? refusal(ofToken: head)
      ?? refusal(ofPlace: head) ?? refusal(ofBody: head)
  }

  private func isFromNamedOrigin(_ head: HTTPHead) -> Bool {
    head.origin.map { settings.http.origins.contains($0) } ?? false
  }

  /// Answers a browser that asks, before the request of a page, whether the page may make it. The
  /// browser sends no token then. Nil for anything else.
  private func permission(for head: HTTPHead) -> HTTPAnswer? {
    guard head.method == "OPTIONS", isFromNamedOrigin(head) else { return nil }
    var answer = HTTPAnswer(204, "")
    answer.headers = [
      ("Access-Control-Allow-Methods", "DELETE, GET, HEAD, POST, PUT"),
      ("Access-Control-Allow-Headers", "Authorization, Content-Type"),
      // In seconds; Chromium keeps it no longer.
      ("Access-Control-Max-Age", "7200"),
    ]
    return answer
  }

  /// Lets a page read an answer, if its origin is named in the configuration.
  private func headers(to head: HTTPHead) -> [(name: String, value: String)] {
    guard isFromNamedOrigin(head), let origin = head.origin else { return [] }
    return [
      ("Access-Control-Allow-Origin", origin), ("Access-Control-Expose-Headers", "Retry-After"),
      ("Vary", "Origin"),
    ]
  }

  private func refusal(of address: String, _ path: String) -> HTTPAnswer? {
    guard let seconds = budgets?.spend(address, at: uptime) else { return nil }
    handlers.refused(
      Rejection(.rate, "\(address) asks more often than 'rate' allows"), Self.place(of: path))
    return HTTPAnswer(
      429, "rate", "there were too many requests from this address; wait \(seconds) s",
      ("Retry-After", String(seconds)))
  }

  private func refusal(ofToken head: HTTPHead) -> HTTPAnswer? {
    let parts = head.authorization?.split(separator: " ", maxSplits: 1) ?? []
    if parts.count == 2, parts[0].lowercased() == "bearer",
      settings.token.isSame(as: String(parts[1]))
    {
      return nil
    }
    let challenge = (name: "WWW-Authenticate", value: "Bearer")
    guard head.authorization != nil else {
      return HTTPAnswer(
        401, "token", "send the token of this clock, as in 'Authorization: Bearer TOKEN'", challenge
      )
    }
    handlers.refused(
      Rejection(.token, "\(head.address) came with a wrong token"), Self.place(of: head.path))
    return HTTPAnswer(401, "token", "this is not the token of this clock", challenge)
  }

  /// The methods of a path; empty if the path does not exist.
  private static func methods(at path: String) -> [String] {
    switch path {
    // libmicrohttpd answers HEAD as GET, without the body.
    case statePath: ["GET", "HEAD"]
    case commandsPath: ["POST"]
    case _ where path.hasPrefix(devicesPath) && path != devicesPath: ["DELETE", "PUT"]
    default: []
    }
  }

  private func refusal(ofPlace head: HTTPHead) -> HTTPAnswer? {
    let methods = Self.methods(at: head.path)
    if methods.contains(head.method) { return nil }
    guard !methods.isEmpty else {
      let places = [Self.statePath, Self.commandsPath, "\(Self.devicesPath)TOKEN"]
      return HTTPAnswer(
        404, "path",
        "there is nothing at \(head.path.excerpt); there are \(places.joined(separator: ", "))")
    }
    return HTTPAnswer(
      405, "method", "\(head.path.excerpt) takes \(methods.joined(separator: " and "))",
      ("Allow", methods.joined(separator: ", ")))
  }

  private static let tooLarge = HTTPAnswer(
    413, Rejection.Kind.large.rawValue,
    "the body is too large; at most \(HTTPServer.mostOfBody) bytes are read")

  private func refusal(ofBody head: HTTPHead) -> HTTPAnswer? {
    if head.length ?? 0 > HTTPServer.mostOfBody { return Self.tooLarge }
    guard head.hasBody || head.method == "POST" else { return nil }
    // Parameters of the type may follow, as in `; charset=utf-8`.
    let type = head.contentType?.prefix { $0 != ";" && $0 != " " }.lowercased()
    guard type != "application/json" else { return nil }
    return HTTPAnswer(
      415, "type", "the body has to be JSON, and its Content-Type application/json")
  }

  // MARK: Serving

  private func serve(_ exchange: HTTPExchange) {
    let head = exchange.head
    guard exchange.size <= HTTPServer.mostOfBody else { return exchange.answer(Self.tooLarge) }
    let body = exchange.body
    switch head.path {
    case Self.statePath:
      switch handlers.state() {
      case .success(let state): exchange.answer(HTTPAnswer(200, state))
      case .failure(let rejection): exchange.answer(HTTPAnswer(.refused(rejection)))
      }
    case Self.commandsPath:
      carryOut(exchange, body)
    default:
      let token = String(head.path.dropFirst(Self.devicesPath.count))
      let command = head.method == "PUT" ? "device_add" : "device_remove"
      carryOut(
        exchange, body.isEmpty ? Array("{}".utf8) : body,
        known: [("command", command), ("token", token)])
    }
  }

  private func carryOut(
    _ exchange: HTTPExchange, _ body: [UInt8], known: [(key: String, text: String)] = []
  ) {
    handlers.carryOut(Self.place(of: exchange.head.path), body, known) {
      exchange.answer(HTTPAnswer($0))
    }
  }

  /// A path as the journal names it: without the token of a device, which is private.
  private static func place(of path: String) -> String {
    path.hasPrefix(devicesPath) ? String(devicesPath.dropLast()) : path.excerpt
  }
}

/// Limits the requests of each address: those of a minute at once, and then as many a minute.
struct RequestBudgets {
  /// Limit of known addresses. Beyond it, the one that was silent for longest is forgotten.
  static let most = 1024

  private let perMinute: Int
  private var budgets: [String: (bucket: TokenBucket, last: Duration)] = [:]

  init(perMinute: Int) { self.perMinute = perMinute }

  /// - Parameter uptime: the time of a clock that is never set.
  /// - Returns: nil if the request is allowed; else the seconds until the next one is.
  mutating func spend(_ address: String, at uptime: Duration) -> Int? {
    var bucket =
      budgets[address]?.bucket ?? TokenBucket(most: perMinute, perMinute: perMinute)
    let wait = bucket.take(at: uptime)
    if budgets[address] == nil, budgets.count >= Self.most,
      let oldest = budgets.min(by: { $0.value.last < $1.value.last })
    {
      budgets[oldest.key] = nil
    }
    budgets[address] = (bucket, uptime)
    return wait.map { Int(($0 / .seconds(1)).rounded(.up)) }
  }
}

/// The token that an app must know. Only its digest is kept.
struct AccessToken: Hashable {
  private let digest: [UInt8]

  /// Nil if the text is too short for a secret, or cannot stand in a header.
  init?(text: String) {
    guard (16...512).contains(text.utf8.count), text.utf8.allSatisfy({ $0 > 32 && $0 < 127 })
    else { return nil }
    digest = Self.digest(of: text)
  }

  /// Takes the same time for every text of the same length.
  func isSame(as text: String) -> Bool {
    let other = Self.digest(of: text)
    return CRYPTO_memcmp(digest, other, digest.count) == 0
  }

  /// SHA-256.
  private static func digest(of text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    EVP_Digest(bytes, bytes.count, &digest, &count, EVP_sha256(), nil)
    return Array(digest.prefix(Int(count)))
  }
}
