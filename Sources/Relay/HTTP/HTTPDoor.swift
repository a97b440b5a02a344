import Basics
import COpenSSL
import Daemon
@preconcurrency import Glibc

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

  private struct Route {
    /// As in `/v1/state`. With a slash at its end, for every path that begins so.
    let path: String
    let methods: [String]
    /// Who may ask for it without the token.
    var access = Access.act
    let serve: (HTTPExchange) -> Void

    func fits(_ path: String) -> Bool {
      self.path.hasSuffix("/")
        ? path.hasPrefix(self.path) && path != self.path : path == self.path
    }
  }

  let settings: Settings
  /// Nil without the face: then only the token lets anybody in.
  let phones: Phones?
  private unowned let service: RelayService
  private let files: FaceFiles?
  private var server: HTTPServer?
  let streams: EventStreams
  let renderer: Renderer
  private var avahi: Avahi?

  // libmicrohttpd answers HEAD as GET, without the body.
  private static let look = ["GET", "HEAD"]

  private lazy var routes = [
    Route(path: "/v1/state", methods: Self.look, access: .look) { [unowned self] in
      $0.answer(HTTPAnswer(service.stateForApps))
    },
    Route(path: "/v1/time", methods: Self.look, access: .look) { [unowned self] in
      $0.answer(HTTPAnswer(200, service.time.json))
    },
    Route(path: "/v1/notices", methods: Self.look, access: .look) { [unowned self] in
      $0.answer(HTTPAnswer(200, service.notices.json(at: .now)))
    },
    Route(path: "/v1/agenda", methods: Self.look, access: .look) { [unowned self] exchange in
      service.agenda { exchange.answer(HTTPAnswer($0.map(\.json))) }
    },
    Route(path: "/v1/settings", methods: Self.look, access: .look) { [unowned self] exchange in
      service.announcer.call("Settings", Record()) { exchange.answer(HTTPAnswer($0.map(\.json))) }
    },
    Route(path: "/v1/events", methods: Self.look, access: .look) { [unowned self] in listen($0) },
    Route(path: "/v1/noon.svg", methods: Self.look, access: .look) { [unowned self] exchange in
      renderer.render(service.wordsOfNoon) {
        exchange.answer(HTTPAnswer($0, type: "image/svg+xml"))
      }
    },
    Route(path: "/v1/voices/", methods: Self.look, access: .look) { [unowned self] in say($0) },
    Route(path: "/v1/commands", methods: ["POST"]) { [unowned self] exchange in
      service.carryOut(exchange.body, from: exchange.head.path) { exchange.answer(HTTPAnswer($0)) }
    },
    Route(path: "/v1/devices/", methods: ["DELETE", "PUT"]) { [unowned self] exchange in
      let head = exchange.head
      let command = head.method == "PUT" ? "device_add" : "device_remove"
      let known = Record([
        "command": .text(command),
        "token": .text(String(head.path.dropFirst("/v1/devices/".count))),
      ])
      let body = exchange.body.isEmpty ? Array("{}".utf8) : exchange.body
      // Without the token, which is private.
      service.carryOut(body, from: "/v1/devices", with: known) { exchange.answer(HTTPAnswer($0)) }
    },
  ]

  private lazy var routesOfPhones: [Route] = {
    guard let phones else { return [] }
    return [
      Route(path: "/v1/pair", methods: ["DELETE", "GET", "HEAD", "POST"], access: .all) {
        exchange in
        switch exchange.head.method {
        case "POST": exchange.answer(phones.begin(exchange))
        case "DELETE": exchange.answer(phones.end(exchange.head))
        default: exchange.answer(phones.standing(exchange.head))
        }
      },
      Route(path: "/v1/phones", methods: Self.look) { $0.answer(phones.list($0.head)) },
      Route(path: "/v1/phones/", methods: ["DELETE"]) { exchange in
        exchange.answer(
          phones.revoke(exchange.head.path.dropFirst("/v1/phones/".count), exchange.head))
      },
    ]
  }()

  /// - Throws: `Fault` if the server cannot listen there.
  init(_ service: RelayService, _ settings: Settings) throws(Fault) {
    self.service = service
    self.settings = settings
    let hasFace = settings.http.face != .no
    files = hasFace ? try FaceFiles() : nil
    phones = hasFace ? Phones(service.journal, service.register, settings.http) : nil
    streams = EventStreams(service.loop)
    renderer = Renderer(service.loop)
    let server = HTTPServer(service.loop, settings.http.listen, settings.identity, self)
    self.server = server
    try server.open()
    if hasFace, !settings.http.listen.isLoopback {
      avahi = Avahi(
        service.loop, port: settings.http.listen.port, usesTLS: settings.http.usesTLS)
    }
    phones?.revoked = { [unowned self] number in streams.end { $0.phone == number } }
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
    guard head.authorization == nil, let phones else {
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
    service.reject(Rejection(.token, "\(head.address) came with a wrong token"), head.path.excerpt)
    return HTTPAnswer(401, "token", "this is not the token of this clock", challenge)
  }

  private func route(of path: String) -> Route? {
    (routes + routesOfPhones).first { $0.fits(path) } ?? page(at: path)
  }

  /// The page or a file of it. Nil for any other path, and without a face.
  private func page(at path: String) -> Route? {
    if path == "/", let files {
      return Route(path: path, methods: Self.look, access: .all) { [unowned self] exchange in
        // Nothing of the clock for who may not look.
        let words = refusal(ofVisitor: exchange.head, for: .look) == nil ? service.words : [:]
        exchange.answer(files.page(words))
      }
    }
    return files?.file(at: path).map { file in
      Route(path: path, methods: Self.look, access: .all) { $0.answer(file) }
    }
  }

  private func refusal(ofPlace head: HTTPHead) -> HTTPAnswer? {
    guard let route = route(of: head.path) else {
      let places = (routes + routesOfPhones).map(\.path).joined(separator: ", ")
      return HTTPAnswer(
        404, "path", "there is nothing at \(head.path.excerpt); there are \(places)")
    }
    if route.methods.contains(head.method) { return nil }
    return HTTPAnswer(
      405, "method", "\(head.path.excerpt) takes \(route.methods.joined(separator: " and "))",
      ("Allow", route.methods.joined(separator: ", ")))
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

  /// Has the time said by a voice that is installed.
  private func say(_ exchange: HTTPExchange) {
    let file = exchange.head.path.dropFirst("/v1/voices/".count)
    let voice = String(file.dropLast(".wav".count))
    let isThere = dataFolders(ofTree: "sounds", with: "voices").contains {
      access("\($0)/voices/\(voice)/voice.conf", F_OK) == 0
    }
    guard file.hasSuffix(".wav"), isThere, !voice.contains("/") else {
      let why = Rejection(.unknown, "there is no voice '\(file.excerpt)'; ask for NAME.wav")
      return exchange.answer(HTTPAnswer(.refused(why)))
    }
    renderer.render(["voice", "try", voice, service.localTime, "--output"]) {
      exchange.answer(HTTPAnswer($0, type: "audio/wav").part(exchange.head.range))
    }
  }

  private func listen(_ exchange: HTTPExchange) {
    // A register that cannot be read now knows no phone.
    let phone = (try? phones?.phone(of: exchange.head))?.number
    guard let stream = streams.open(phone, service.stateForApps) else {
      var answer = HTTPAnswer(
        .refused(Rejection(.full, "the page of this clock is open too often; close it elsewhere")))
      answer.headers.append(("Connection", "close"))
      return exchange.answer(answer)
    }
    exchange.answer(HTTPAnswer(200, [], type: "text/event-stream"), stream)
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
