import Basics
import COpenSSL
import Daemon
@preconcurrency import Glibc

/// The HTTP door for apps and browsers: checks who may come in, and serves the paths of
/// docs/clocksmith-relay.openapi.json and the page. A new path is a new line of `routes`.
final class HTTPDoor {
  struct Settings: Hashable {
    let http: HTTPConfiguration
    /// The digest of the token; nil if only browsers are served.
    let token: String?
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
    // libmicrohttpd answers HEAD without the body.
    var methods = ["GET", "HEAD"]
    var access = Access.look
    let serve: (HTTPExchange) -> Void

    func fits(_ path: String) -> Bool {
      path == self.path
        ? !path.hasSuffix("/") : self.path.hasSuffix("/") && path.hasPrefix(self.path)
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
  private let neighbours: Neighbours

  private lazy var routes =
    [
      Route(path: "/v1/state") { [unowned self] in $0.answer(HTTPAnswer(service.stateForApps)) },
      Route(path: "/v1/time") { [unowned self] in
        $0.answer(HTTPAnswer(200, json: service.announcer.time.json))
      },
      Route(path: "/v1/notices") { [unowned self] in
        $0.answer(HTTPAnswer(200, json: service.door.notices.json(at: .now)))
      },
      Route(path: "/v1/agenda") { [unowned self] exchange in
        service.announcer.agenda { exchange.answer(HTTPAnswer($0.map(\.json))) }
      },
      Route(path: "/v1/settings") { [unowned self] exchange in
        service.announcer.call(.settings(nil)) { exchange.answer(HTTPAnswer($0.map(\.json))) }
      },
      Route(path: "/v1/events") { [unowned self] in listen($0) },
      Route(path: "/v1/clocks") { [unowned self] exchange in
        neighbours.find {
          exchange.answer(
            HTTPAnswer(200, json: Record(["clocks": .list($0.map { .record($0) })]).json))
        }
      },
      Route(path: "/v1/noon.svg") { [unowned self] exchange in
        renderer.render(service.announcer.wordsOfNoon) {
          exchange.answer(HTTPAnswer($0, type: "image/svg+xml"))
        }
      },
      Route(path: "/v1/voices/") { [unowned self] exchange in
        let time = service.announcer.localTime
        play(exchange, at: "/v1/voices/", of: "voices", "/voice.conf") {
          ["voice", "try", $0, time]
        }
      },
      Route(path: "/v1/chimes/") { [unowned self] exchange in
        // The hour with the fewest blows.
        play(exchange, at: "/v1/chimes/", of: "tunes", ".tune") {
          ["render", "--at", "2026-01-01T01:00", "--zone", "UTC", "--chime", $0]
        }
      },
      Route(path: "/v1/commands") { $0.answer(HTTPAnswer(200, json: Order.forms.json)) },
      Route(path: "/v1/commands", methods: ["POST"], access: .act) { [unowned self] exchange in
        service.commands.carryOut(exchange.body, from: exchange.path) {
          exchange.answer(HTTPAnswer($0))
        }
      },
      Route(path: "/v1/devices/", methods: ["DELETE", "PUT"], access: .act) {
        [unowned self] exchange in
        let known = Record([
          "command": .text(exchange.method == "PUT" ? "device_add" : "device_remove"),
          "token": .text(exchange.end(of: "/v1/devices/")),
        ])
        let body = exchange.body.isEmpty ? Array("{}".utf8) : exchange.body
        // Without the token, which is private.
        service.commands.carryOut(body, from: "/v1/devices", with: known) {
          exchange.answer(HTTPAnswer($0))
        }
      },
    ] + (phones.map(routes) ?? [])

  private func routes(of phones: Phones) -> [Route] {
    [
      Route(path: "/v1/pair", access: .all) { $0.answer(phones.standing($0)) },
      Route(path: "/v1/pair", methods: ["POST"], access: .all) { $0.answer(phones.begin($0)) },
      Route(path: "/v1/pair", methods: ["DELETE"], access: .all) { $0.answer(phones.end($0)) },
      Route(path: "/v1/phones", access: .act) { $0.answer(phones.list($0)) },
      Route(path: "/v1/phones/", methods: ["DELETE"], access: .act) {
        $0.answer(phones.revoke($0.end(of: "/v1/phones/"), $0))
      },
    ]
  }

  init(_ service: RelayService, _ settings: Settings) throws(Fault) {
    self.service = service
    self.settings = settings
    let http = settings.http
    files = http.face == .no ? nil : try FaceFiles()
    phones =
      http.face == .no
      ? nil
      : Phones(service.journal, service.register, http) { [unowned service] in
        service.announcer.state.isTrusted ? .now : nil
      }
    streams = EventStreams(service.loop)
    renderer = Renderer(service.loop)
    neighbours = Neighbours(service.loop)
    server = try HTTPServer(service.loop, http.listen, settings.identity, self)
    phones?.revoked = { [unowned self] in streams.end() }
  }

  func close() {
    streams.end()
    server?.close()
    server = nil
  }

  func judge(_ exchange: HTTPExchange) -> HTTPAnswer? {
    // A browser asks, before the request of a page, whether the page may make it, without the token.
    if exchange.method == "OPTIONS", isFromNamedOrigin(exchange) {
      return HTTPAnswer(204, [], type: "text/plain")
    }
    let found = routes.filter { $0.fits(exchange.path) }
    let route = found.first { $0.methods.contains(exchange.method) } ?? page(exchange)
    let access = route?.access ?? found.first?.access ?? .look
    if let refusal = refusal(ofVisitor: exchange, for: access) { return refusal }
    // A phone is paired with the clock, not with its place: it may come by a proxy, with many others.
    if server?.isFull(for: exchange.address) == true,
      refusal(ofVisitor: exchange, for: .act) != nil
    {
      return full(exchange, "too many connections are open; close other pages, and try again")
    }
    guard let route else {
      let places = routes.map { "\($0.methods[0]) \($0.path)" }.joined(separator: ", ")
      return HTTPAnswer(
        404, "path",
        "\(exchange.method) finds nothing at \(exchange.path.excerpt); there are \(places)")
    }
    exchange.serve = route.serve
    return exchange.length > Order.largestPayload ? Self.tooLarge : nil
  }

  private func isFromNamedOrigin(_ exchange: HTTPExchange) -> Bool {
    exchange["Origin"].map { settings.http.origins.contains($0) } ?? false
  }

  /// Lets a page read an answer, if its origin is named in the configuration. The own page learns of its
  /// successor.
  func headers(to exchange: HTTPExchange) -> [HTTPHeader] {
    let rules = browserRules + (files.map { [("Clocksmith-Page", $0.version)] } ?? [])
    guard isFromNamedOrigin(exchange), let origin = exchange["Origin"] else {
      return rules + [("Cross-Origin-Resource-Policy", "same-origin")]
    }
    return rules + [
      ("Access-Control-Allow-Origin", origin), ("Access-Control-Expose-Headers", "Retry-After"),
      ("Access-Control-Allow-Methods", "DELETE, GET, HEAD, POST, PUT"),
      ("Access-Control-Allow-Headers", "Authorization, Content-Type"), ("Vary", "Origin"),
      // In seconds; Chromium keeps it no longer.
      ("Access-Control-Max-Age", "7200"),
    ]
  }

  /// A request that names a token is judged by it alone: no browser sends one by itself.
  private func refusal(ofVisitor exchange: HTTPExchange, for access: Access) -> HTTPAnswer? {
    let shown = exchange["Authorization"]
    if shown == nil, let phones { return phones.refusal(of: exchange, for: access) }
    let parts = shown?.split(separator: " ", maxSplits: 1) ?? []
    if parts.count == 2, parts[0].lowercased() == "bearer",
      digest(of: String(parts[1])) == settings.token
    {
      return nil
    }
    if shown != nil {
      let why = Rejection(.token, "\(exchange.address) came with a wrong token")
      service.rejections.log(why, from: exchange.path.excerpt)
    }
    return HTTPAnswer(
      401, "token",
      shown == nil
        ? "send the token of this clock, as in 'Authorization: Bearer TOKEN'"
        : "this is not the token of this clock", ("WWW-Authenticate", "Bearer"))
  }

  private func page(_ exchange: HTTPExchange) -> Route? {
    guard ["GET", "HEAD"].contains(exchange.method), let files else { return nil }
    if exchange.path == "/" {
      return Route(path: exchange.path, access: .all) { [unowned self] exchange in
        // For who may not look only the name of the machine, which its announcement in the network has too.
        let words = refusal(ofVisitor: exchange, for: .look) == nil ? service.announcer.words : [:]
        exchange.answer(files.page(words))
      }
    }
    return files.others[exchange.path].map { file in
      Route(path: exchange.path, access: .all) { $0.answer(file.unlessKept($0["If-None-Match"])) }
    }
  }

  private static let tooLarge = HTTPAnswer(
    413, Rejection.Kind.large.rawValue,
    "the body is too large; at most \(Order.largestPayload) bytes are read")

  /// The request is complete. It is answered now or later.
  func serve(_ exchange: HTTPExchange) {
    guard exchange.size <= Order.largestPayload else { return exchange.answer(Self.tooLarge) }
    exchange.serve(exchange)
  }

  /// Plays a voice or a chime that is installed in the browser.
  /// - Parameters:
  ///   - path: before the name.
  ///   - folder: where all of them are.
  ///   - end: what follows the name there.
  ///   - words: the command for a name, up to `--output`.
  private func play(
    _ exchange: HTTPExchange, at path: String, of folder: String, _ end: String,
    by words: (String) -> [String]
  ) {
    let file = exchange.end(of: path)
    let name = file.hasSuffix(".wav") ? String(file.dropLast(".wav".count)) : ""
    let isThere = dataFolders(ofTree: "sounds", with: folder).contains {
      access("\($0)/\(folder)/\(name)\(end)", F_OK) == 0
    }
    guard isThere, !name.isEmpty, !name.contains("/") else {
      let why = Rejection(
        .unknown, "there is no '\(file.excerpt)' among the \(folder); ask for NAME.wav")
      return exchange.answer(HTTPAnswer(.refused(why)))
    }
    let range = exchange["Range"]
    renderer.render(words(name) + ["--output"]) {
      exchange.answer(HTTPAnswer($0, type: "audio/wav").part(range))
    }
  }

  private func listen(_ exchange: HTTPExchange) {
    guard let stream = streams.open(service.stateForApps) else {
      let words = "the page of this clock is open too often; close it elsewhere"
      return exchange.answer(full(exchange, words))
    }
    // nginx sends on each event at once then.
    let headers = [("X-Accel-Buffering", "no")]
    exchange.answer(HTTPAnswer(200, [], type: "text/event-stream", headers), stream)
  }

  /// Refuses for want of a connection, and ends this one.
  private func full(_ exchange: HTTPExchange, _ words: String) -> HTTPAnswer {
    let rejection = Rejection(.full, words)
    service.rejections.log(rejection, from: exchange.path.excerpt)
    var answer = HTTPAnswer(.refused(rejection))
    answer.headers.append(("Connection", "close"))
    return answer
  }
}

/// What a request is about, for those who come without the token.
enum Access {
  /// Open to everybody.
  case all
  /// For everybody, or for paired phones, as `face` says.
  case look
  /// For paired phones.
  case act
}

/// What a browser may make of every answer: it runs no script of a stranger, loads nothing from
/// elsewhere, and does not show the page inside another.
let browserRules: [HTTPHeader] = [
  (
    "Content-Security-Policy",
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
      + "media-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; "
      + "form-action 'none'; frame-ancestors 'none'"
  ),
  ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
  ("X-Frame-Options", "DENY"),
]

/// SHA-256 in hexadecimal digits. Only digests are kept and compared: the time that this takes tells
/// nothing of a secret.
func digest(of secret: String) -> String { digest(of: Array(secret.utf8)) }

func digest(of bytes: [UInt8]) -> String {
  var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
  var count: UInt32 = 0
  EVP_Digest(bytes, bytes.count, &digest, &count, EVP_sha256(), nil)
  return digest.prefix(Int(count)).hexadecimal
}
