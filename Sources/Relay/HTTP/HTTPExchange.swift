import Basics
import Daemon

typealias HTTPHeader = (name: String, value: String)

struct HTTPHead {
  let method: String
  /// As in `/v1/state`. Its escapes are not decoded.
  let path: String
  /// Of the client, as in `192.168.1.5`.
  let address: String
  /// The host and the port that the client has asked, as in `clocksmith.local:8080`.
  let host: String?
  let authorization: String?
  /// As in `clocksmith=0123; other=1`.
  let cookies: String?
  /// Where the page comes from that has a browser ask.
  let origin: String?
  /// How a browser relates that page to this server, as in `same-origin`.
  let fetchSite: String?
  let contentType: String?
  /// The part of the file that is wanted, as in `bytes=0-1`.
  let range: String?
  /// The length of the body in bytes; nil if the head does not tell it.
  let length: Int?
  /// The body comes in pieces, and its length is not told before.
  let isChunked: Bool

  var hasBody: Bool { isChunked || length ?? 0 > 0 }
}

/// A request and its answer, which may come later.
final class HTTPExchange {
  let head: HTTPHead
  /// The part of the body that is kept.
  private(set) var body: [UInt8] = []
  /// Bytes of the body received so far, kept or not.
  private(set) var size = 0
  private(set) var answer: HTTPAnswer?
  /// What comes, instead of a body, as long as the client stays.
  private(set) var stream: EventStream?
  /// Called once, when there is an answer; nil when nobody waits for one any more.
  var answered: (() -> Void)?

  /// - Parameter refusal: by the head alone; the body is thrown away.
  init(_ head: HTTPHead, _ refusal: HTTPAnswer?) {
    self.head = head
    answer = refusal
  }

  func append(_ bytes: UnsafeRawBufferPointer, most: Int) {
    size += bytes.count
    if answer == nil { body.append(contentsOf: bytes.prefix(max(most - body.count, 0))) }
  }

  /// Answers the request, unless it has an answer.
  func answer(_ answer: HTTPAnswer, _ stream: EventStream? = nil) {
    guard self.answer == nil else { return }
    self.answer = answer
    self.stream = stream
    let told = answered
    answered = nil
    told?()
  }
}

/// An answer to an app or a browser. libmicrohttpd itself refuses what it cannot read, in HTML.
struct HTTPAnswer {
  let status: UInt32
  let body: [UInt8]
  var headers: [HTTPHeader] = []

  /// - Parameter type: as in `text/html; charset=utf-8`.
  init(_ status: UInt32, _ body: [UInt8], type: String, _ headers: [HTTPHeader] = []) {
    self.status = status
    self.body = body
    self.headers = [("Content-Type", type)] + headers
  }

  /// - Parameter body: JSON, or empty.
  init(_ status: UInt32, _ body: String, _ headers: [HTTPHeader] = []) {
    self.init(status, Array(body.utf8), type: "application/json", headers)
    if body.isEmpty { self.headers = headers }
  }

  /// Refuses with a sentence, and with a reason word that never changes.
  init(_ status: UInt32, _ reason: String, _ words: String, _ headers: HTTPHeader...) {
    let record = Record(["error": .text(words.printable), "reason": .text(reason)])
    self.init(status, record.json, headers)
  }
}

extension HTTPAnswer {
  init(_ outcome: CommandOutcome) {
    let status: UInt32 =
      switch outcome {
      case .done, .unchanged: 200
      case .waits: 202
      case .refused(let rejection): rejection.kind.status
      }
    self.init(status, outcome.record.json, status == 503 ? [("Retry-After", "5")] : [])
  }

  /// - Parameter json: what was asked for.
  init(_ json: Result<String, Rejection>) {
    self.init(json.map { Array($0.utf8) }, type: "application/json")
  }

  init(_ bytes: Result<[UInt8], Rejection>, type: String) {
    switch bytes {
    case .success(let bytes): self.init(200, bytes, type: type)
    case .failure(let rejection): self.init(.refused(rejection))
    }
  }

  /// The part of a sound that is asked for: Safari plays nothing from a server that sends only the
  /// whole. Any other range than of the form `bytes=0-1` or `bytes=0-` may be answered with the whole
  /// (RFC 9110, 14.2).
  func part(_ range: String?) -> HTTPAnswer {
    guard status == 200, let range, range.hasPrefix("bytes=") else { return self }
    let ends = range.dropFirst("bytes=".count).split(
      separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Int(ends[0]), body.indices.contains(first),
      let last = ends[1].isEmpty ? body.count - 1 : Int(ends[1]), first <= last
    else { return self }
    let part = first...min(last, body.count - 1)
    return HTTPAnswer(
      206, Array(body[part]), type: "audio/wav",
      [("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound)/\(body.count)")])
  }
}

extension Rejection.Kind {
  fileprivate var status: UInt32 {
    switch self {
    case .json, .command, .key, .value, .topic, .retained, .expired, .past, .future: 400
    case .token: 401
    case .unknown: 404
    case .repeated, .untrusted, .refused, .busy, .cancelled: 409
    case .large: 413
    case .full, .absent, .register: 503
    case .timeout: 504
    }
  }
}
