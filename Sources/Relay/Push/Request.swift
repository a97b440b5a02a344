import CCurl
import CNGHTTP2
@preconcurrency import Glibc

/// A field of a request.
struct Header {
  let name: String
  let value: String
}

/// Request headers that many requests may share.
final class HeaderList {
  private let headers: [Header]
  private var madeList: UnsafeMutablePointer<curl_slist>?
  private var madeFields: [nghttp2_nv]?

  init(_ headers: [Header]) { self.headers = headers }

  deinit {
    curl_slist_free_all(madeList)
    for field in madeFields ?? [] {
      free(field.name)
      free(field.value)
    }
  }

  /// The list as libcurl takes it.
  var list: UnsafeMutablePointer<curl_slist>? {
    if let madeList { return madeList }
    // Without a value, libcurl leaves out its own header.
    var list = curl_slist_append(nil, "accept:")
    for header in headers { list = curl_slist_append(list, "\(header.name): \(header.value)") }
    madeList = list
    return list
  }

  /// The list as nghttp2 takes it.
  var fields: [nghttp2_nv] {
    if let madeFields { return madeFields }
    let fields = headers.map { header in
      nghttp2_nv(
        name: Self.copy(header.name), value: Self.copy(header.value),
        namelen: header.name.utf8.count, valuelen: header.value.utf8.count,
        flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue))
    }
    madeFields = fields
    return fields
  }

  private static func copy(_ text: String) -> UnsafeMutablePointer<UInt8> {
    UnsafeMutableRawPointer(strdup(text)).assumingMemoryBound(to: UInt8.self)
  }
}

/// The bytes of a body, which many requests may share.
final class RequestBody {
  let bytes: UnsafeMutablePointer<UInt8>
  let count: Int

  init(_ text: String) {
    count = text.utf8.count
    bytes = .allocate(capacity: max(count, 1))
    var index = 0
    for byte in text.utf8 {
      (bytes + index).initialize(to: byte)
      index += 1
    }
  }

  deinit { bytes.deallocate() }
}

/// A POST over HTTP.
struct Request {
  /// Identifies the answer.
  let tag: Int64
  /// The URL; for a carrier with one server, the path on it.
  let address: String
  /// A header of this request alone; nil for none.
  let ownHeader: Header?
  let headers: HeaderList
  let body: RequestBody
}

/// The answer to a request.
struct PushResponse {
  /// In bytes: how much of the body is read, or kept.
  static let mostOfBody = 4096

  /// 0 without an answer.
  let status: Int
  /// The start of the answer's body; empty for status 200.
  let body: String
  /// How long the server asks us to wait; nil if it does not say.
  let retryAfter: Duration?
  let failure: Failure?

  /// The server has taken the request, even if the rest of its answer has not come.
  var isSuccess: Bool { (200..<300).contains(status) }

  /// Why there is no whole answer.
  struct Failure {
    let code: CURLcode
    let words: String

    var isLate: Bool { code == CURLE_OPERATION_TIMEDOUT }

    /// True if the failure concerns only this request, and not the connection.
    var isOfOneRequest: Bool { [CURLE_OPERATION_TIMEDOUT, CURLE_HTTP2_STREAM].contains(code) }
  }
}

extension Duration {
  /// What `retry-after` asks for, a day at most; nil for nothing.
  static func pause(seconds: Int64) -> Duration? {
    seconds > 0 ? .seconds(min(seconds, 86_400)) : nil
  }
}
