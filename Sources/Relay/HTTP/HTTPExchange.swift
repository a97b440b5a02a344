import Basics
import CMicroHTTPD
import CZLib
@preconcurrency import Glibc

typealias HTTPHeader = (name: String, value: String)

/// A request and its answer, which may come later.
final class HTTPExchange {
  let method: String
  /// As in `/v1/state`. Its escapes are not decoded.
  let path: String
  /// Nil when the request is over.
  private var connection: OpaquePointer?
  /// As far as it is kept.
  private(set) var body: [UInt8] = []
  /// Bytes of the body received so far, kept or not.
  private(set) var size = 0
  /// Called when the body is there.
  var serve: (HTTPExchange) -> Void = { _ in }
  private(set) var answer: HTTPAnswer?
  /// Comes instead of a body.
  private(set) var stream: EventStream?
  /// Called once, when there is an answer; nil when nobody waits for one any more.
  var answered: (() -> Void)?

  init(_ connection: OpaquePointer, method: String, path: String) {
    (self.connection, self.method, self.path) = (connection, method, path)
  }

  /// The value of a header, until the request is over.
  subscript(name: String) -> String? {
    connection.flatMap { clocksmith_http_header($0, name) }.map { String(cString: $0) }
  }

  var address: String { connection.map(Self.address) ?? "" }

  static func address(of connection: OpaquePointer) -> String {
    guard let address = clocksmith_http_address(connection) else { return "" }
    let isLong = Int32(address.pointee.sa_family) == AF_INET6
    let size = isLong ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { text in
      getnameinfo(
        address, socklen_t(size), text.baseAddress, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
      let numbers = String(cString: text.baseAddress!)
      // An IPv4 address, where the relay listens on `[::]`.
      return numbers.hasPrefix("::ffff:") ? String(numbers.dropFirst(7)) : numbers
    }
  }

  func end() { (connection, answered) = (nil, nil) }

  /// What its path has after a beginning, without escapes.
  func end(of start: String) -> String {
    var end = Array(String(path.dropFirst(start.count)).utf8CString)
    MHD_http_unescape(&end)
    return end.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  /// Of the body in bytes, as the head tells it.
  var length: Int { self["Content-Length"].flatMap { Int($0) } ?? 0 }

  /// What comes after the answer, or is too much, is thrown away.
  func append(_ bytes: UnsafeRawBufferPointer) {
    size += bytes.count
    if answer == nil, size <= Order.largestPayload { body.append(contentsOf: bytes) }
  }

  func answer(_ answer: HTTPAnswer, _ stream: EventStream? = nil) {
    guard self.answer == nil else { return }
    self.answer = answer
    self.stream = stream
    answered?()
    answered = nil
  }
}

/// An answer to an app or a browser. libmicrohttpd itself refuses what it cannot read, in HTML.
struct HTTPAnswer {
  let status: UInt32
  let body: [UInt8]
  var headers: [HTTPHeader]

  /// - Parameter type: as in `text/html; charset=utf-8`.
  init(_ status: UInt32, _ body: [UInt8], type: String, _ headers: [HTTPHeader] = []) {
    (self.status, self.body, self.headers) = (status, body, [("Content-Type", type)] + headers)
  }

  init(_ status: UInt32, json: String, _ headers: [HTTPHeader] = []) {
    self.init(status, Array(json.utf8), type: "application/json", headers)
  }

  /// Refuses with a sentence, and with a reason word that never changes.
  init(_ status: UInt32, _ reason: String, _ words: String, _ headers: HTTPHeader...) {
    let record = Record(["error": .text(words.printable), "reason": .text(reason)])
    self.init(status, json: record.json, headers)
  }

  init(_ outcome: CommandOutcome) {
    let status: UInt32 =
      switch outcome {
      case .done, .unchanged: 200
      case .waits: 202
      case .refused(let rejection): rejection.kind.status
      }
    self.init(status, json: outcome.record.json, status == 503 ? [("Retry-After", "5")] : [])
  }

  init(_ json: Result<String, Rejection>) {
    self.init(json.map { Array($0.utf8) }, type: "application/json")
  }

  init(_ bytes: Result<[UInt8], Rejection>, type: String) {
    switch bytes {
    case .success(let bytes): self.init(200, bytes, type: type)
    case .failure(let rejection): self.init(.refused(rejection))
    }
  }

  /// Nothing, if a browser has kept the same. A proxy that packs it may have written `W/` before the tag.
  func unlessKept(_ tags: String?) -> HTTPAnswer {
    guard let tag = headers.first(where: { $0.name == "ETag" }), tags?.contains(tag.value) == true
    else { return self }
    var answer = HTTPAnswer(304, [], type: "")
    answer.headers = headers
    return answer
  }

  /// The same as gzip, for who takes that, if it is a text and worth it.
  func compressed(for accepted: String?) -> HTTPAnswer {
    let type = headers.first { $0.name == "Content-Type" }?.value ?? ""
    let isText = ["text/", "application/", "image/svg"].contains { type.hasPrefix($0) }
    guard status == 200, isText, body.count >= 1000, accepted?.contains("gzip") == true else {
      return self
    }
    let made = [UInt8](unsafeUninitializedCapacity: body.count) { buffer, count in
      count = clocksmith_gzip(body, body.count, buffer.baseAddress, buffer.count)
    }
    guard !made.isEmpty else { return self }
    var answer = HTTPAnswer(status, made, type: type)
    answer.headers = headers.filter { $0.name != "Vary" }
    answer.headers += [("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding")]
    return answer
  }

  /// The part of a sound that is asked for, as `bytes=0-1` or `bytes=0-`: Safari plays nothing from a
  /// server that sends only the whole, which any other range gets (RFC 9110, 14.2).
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
