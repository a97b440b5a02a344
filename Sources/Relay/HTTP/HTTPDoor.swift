import Basics
import COpenSSL
import Daemon

/// The HTTP door for apps and browsers: checks who may come in, and serves the paths of
/// docs/clocksmith-relay.openapi.json and the page. A new path is a new line of `routes`.
final class HTTPDoor {
  struct Settings: Hashable {
    let http: HTTPConfiguration
    /// Nil if only browsers are served.
    let token: AccessToken?
    let identity: TLSIdentity?

    init(_ http: HTTPConfiguration) throws(Fault) {
      self.http = http
      token = try http.token()
      identity = try http.identity()
    }
  }

  /// Asks the clock, and answers JSON.
  typealias Asking = (_ answer: @escaping (Result<String, Rejection>) -> Void) -> Void
  /// Answers a picture, or a sound.
  typealias Rendered = (Result<[UInt8], Rejection>) -> Void

  struct Handlers {
    var state: () -> Result<String, Rejection>
    /// JSON, as the clock shows it now.
    var time: () -> String
    var notices: () -> String
    var agenda: Asking
    var settings: Asking
    var noon: (_ answer: @escaping Rendered) -> Void
    var voice: (_ name: String, _ answer: @escaping Rendered) -> Void
    /// For the page, by the names of their places in it.
    var words: () -> [Substring: String]
    /// Carries out the command in the body of a request to this path. Keys that are `known` must
    /// not be in the body.
    var carryOut:
      (
        _ path: String, _ body: [UInt8], _ known: [(key: String, text: String)],
        _ answer: @escaping (CommandOutcome) -> Void
      ) -> Void
    var refused: (Rejection, _ path: String) -> Void
    /// Nil without the face: then only the token lets anybody in.
    var phones: Phones?
  }

  private struct Route {
    /// As in `/v1/state`. With a slash at its end, for every path that begins so.
    let path: String
    let methods: [String]
    /// Who may ask for it without the token.
    var access = Access.act
    /// What follows the slash.
    var rest = "TOKEN"
    let serve: (HTTPExchange) -> Void

    func fits(_ path: String) -> Bool {
      self.path.hasSuffix("/")
        ? path.hasPrefix(self.path) && path != self.path : path == self.path
    }
  }

  let settings: Settings
  private let handlers: Handlers
  private let files: FaceFiles?
  private var server: HTTPServer?
  let streams: EventStreams

  // libmicrohttpd answers HEAD as GET, without the body.
  private static let look = ["GET", "HEAD"]

  private lazy var routes = [
    Route(path: "/v1/state", methods: Self.look, access: .look) { [unowned self] exchange in
      exchange.answer(HTTPAnswer(handlers.state()))
    },
    Route(path: "/v1/time", methods: Self.look, access: .look) { [unowned self] exchange in
      exchange.answer(HTTPAnswer(200, handlers.time()))
    },
    Route(path: "/v1/notices", methods: Self.look, access: .look) { [unowned self] exchange in
      exchange.answer(HTTPAnswer(200, handlers.notices()))
    },
    Route(path: "/v1/agenda", methods: Self.look, access: .look) { [unowned self] exchange in
      handlers.agenda { exchange.answer(HTTPAnswer($0)) }
    },
    Route(path: "/v1/settings", methods: Self.look, access: .look) { [unowned self] exchange in
      handlers.settings { exchange.answer(HTTPAnswer($0)) }
    },
    Route(path: "/v1/events", methods: Self.look, access: .look) { [unowned self] in listen($0) },
    Route(path: "/v1/noon.svg", methods: Self.look, access: .look) { [unowned self] exchange in
      handlers.noon { exchange.answer(HTTPAnswer($0, type: "image/svg+xml")) }
    },
    Route(path: "/v1/voices/", methods: Self.look, access: .look, rest: "NAME.wav") {
      [unowned self] exchange in
      let name = exchange.head.path.dropFirst("/v1/voices/".count)
      guard name.hasSuffix(".wav") else { return exchange.answer(missing(exchange.head.path)) }
      handlers.voice(String(name.dropLast(".wav".count))) {
        exchange.answer(HTTPAnswer($0, type: "audio/wav").part(exchange.head.range))
      }
    },
    Route(path: "/v1/commands", methods: ["POST"]) { [unowned self] in carryOut($0) },
    Route(path: "/v1/devices/", methods: ["DELETE", "PUT"]) { [unowned self] exchange in
      let head = exchange.head
      let command = head.method == "PUT" ? "device_add" : "device_remove"
      let token = String(head.path.dropFirst("/v1/devices/".count))
      carryOut(exchange, known: [("command", command), ("token", token)])
    },
  ]

  private lazy var routesOfPhones: [Route] = {
    guard let phones = handlers.phones else { return [] }
    return [
      Route(path: "/v1/pair", methods: ["DELETE", "GET", "HEAD", "POST"], access: .all) {
        exchange in
        switch exchange.head.method {
        case "POST": exchange.answer(phones.begin(exchange))
        case "DELETE": exchange.answer(phones.end(exchange.head))
        default: exchange.answer(phones.standing(exchange.head))
        }
      },
      Route(path: "/v1/phones", methods: ["GET", "HEAD"]) { $0.answer(phones.list($0.head)) },
      Route(path: "/v1/phones/", methods: ["DELETE"], rest: "NUMBER") { exchange in
        exchange.answer(
          phones.revoke(exchange.head.path.dropFirst("/v1/phones/".count), exchange.head))
      },
    ]
  }()

  /// - Throws: `Fault` if the server cannot listen there.
  init(_ loop: EventLoop, _ settings: Settings, _ handlers: Handlers) throws(Fault) {
    self.settings = settings
    self.handlers = handlers
    files = settings.http.face == .no ? nil : try FaceFiles()
    streams = EventStreams(loop)
    let server = HTTPServer(loop, settings.http.listen, settings.identity, self)
    self.server = server
    try server.open()
  }

  func close() {
    streams.end()
    server?.close()
    server = nil
  }

  // MARK: Who may come in

  /// Judges a request by its head: nil if it may be served.
  func judge(_ head: HTTPHead) -> HTTPAnswer? {
    permission(for: head) ?? refusal(ofVisitor: head, for: route(of: head.path)?.access ?? .look)
      ?? refusal(ofPlace: head) ?? refusal(ofBody: head)
  }

  private func isFromNamedOrigin(_ head: HTTPHead) -> Bool {
    head.origin.map { settings.http.origins.contains($0) } ?? false
  }

  /// Answers a browser that asks, before the request of a page, whether the page may make it. The
  /// browser sends no token then. Nil for anything else.
  private func permission(for head: HTTPHead) -> HTTPAnswer? {
    guard head.method == "OPTIONS", isFromNamedOrigin(head) else { return nil }
    return HTTPAnswer(
      204, "",
      [
        ("Access-Control-Allow-Methods", "DELETE, GET, HEAD, POST, PUT"),
        ("Access-Control-Allow-Headers", "Authorization, Content-Type"),
        // In seconds; Chromium keeps it no longer.
        ("Access-Control-Max-Age", "7200"),
      ])
  }

  /// Lets a page read an answer, if its origin is named in the configuration.
  func headers(to head: HTTPHead) -> [HTTPHeader] {
    guard isFromNamedOrigin(head), let origin = head.origin else {
      return browserRules + [("Cross-Origin-Resource-Policy", "same-origin")]
    }
    return browserRules + [
      ("Access-Control-Allow-Origin", origin), ("Access-Control-Expose-Headers", "Retry-After"),
      ("Vary", "Origin"),
    ]
  }

  /// A request that names a token is judged by it alone: no browser sends one by itself.
  private func refusal(ofVisitor head: HTTPHead, for access: Access) -> HTTPAnswer? {
    guard head.authorization == nil, let phones = handlers.phones else {
      return refusal(ofToken: head)
    }
    return phones.refusal(of: head, for: access)
  }

  private func refusal(ofToken head: HTTPHead) -> HTTPAnswer? {
    let parts = head.authorization?.split(separator: " ", maxSplits: 1) ?? []
    if parts.count == 2, parts[0].lowercased() == "bearer",
      settings.token?.isSame(as: String(parts[1])) == true
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
      Rejection(.token, "\(head.address) came with a wrong token"), place(of: head.path))
    return HTTPAnswer(401, "token", "this is not the token of this clock", challenge)
  }

  private func route(of path: String) -> Route? {
    (routes + routesOfPhones).first { $0.fits(path) } ?? page(at: path)
  }

  /// A file of the page. Nil for any other path, and without a face.
  private func page(at path: String) -> Route? {
    guard let files else { return nil }
    if path == "/" {
      return Route(path: path, methods: Self.look, access: .all) { [unowned self] exchange in
        let mayLook = refusal(ofVisitor: exchange.head, for: .look) == nil
        exchange.answer(files.page(mayLook ? handlers.words() : [:]))
      }
    }
    return files.file(at: path).map { file in
      Route(path: path, methods: Self.look, access: .all) { $0.answer(file) }
    }
  }

  private func refusal(ofPlace head: HTTPHead) -> HTTPAnswer? {
    guard let route = route(of: head.path) else { return missing(head.path) }
    if route.methods.contains(head.method) { return nil }
    return HTTPAnswer(
      405, "method", "\(head.path.excerpt) takes \(route.methods.joined(separator: " and "))",
      ("Allow", route.methods.joined(separator: ", ")))
  }

  private func missing(_ path: String) -> HTTPAnswer {
    let places = (routes + routesOfPhones).map {
      $0.path.hasSuffix("/") ? $0.path + $0.rest : $0.path
    }
    return HTTPAnswer(
      404, "path",
      "there is nothing at \(path.excerpt); there are \(places.joined(separator: ", "))")
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

  /// The request is complete. It is answered now or later.
  func serve(_ exchange: HTTPExchange) {
    guard exchange.size <= HTTPServer.mostOfBody else { return exchange.answer(Self.tooLarge) }
    route(of: exchange.head.path)?.serve(exchange)
  }

  private func listen(_ exchange: HTTPExchange) {
    let head = exchange.head
    // A register that cannot be read now knows no phone.
    let phone = (try? handlers.phones?.phone(of: head))?.number
    guard let stream = streams.open(at: head.address, phone: phone, state: handlers.state()) else {
      var answer = HTTPAnswer(
        .refused(Rejection(.full, "the page of this clock is open too often; close it elsewhere")))
      answer.headers.append(("Connection", "close"))
      return exchange.answer(answer)
    }
    exchange.answer(HTTPAnswer(200, [], type: "text/event-stream"), stream)
  }

  private func carryOut(
    _ exchange: HTTPExchange, known: [(key: String, text: String)] = []
  ) {
    let body = exchange.body.isEmpty && !known.isEmpty ? Array("{}".utf8) : exchange.body
    handlers.carryOut(place(of: exchange.head.path), body, known) {
      exchange.answer(HTTPAnswer($0))
    }
  }

  /// A path as the journal names it: without the token of a device, which is private.
  private func place(of path: String) -> String {
    let known = route(of: path)?.path ?? path
    return known.hasSuffix("/") && known != "/" ? String(known.dropLast()) : known.excerpt
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
  static func digest(of text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    EVP_Digest(bytes, bytes.count, &digest, &count, EVP_sha256(), nil)
    return Array(digest.prefix(Int(count)))
  }
}
