import CCurl
@preconcurrency import Glibc

/// Request headers as a list of libcurl, which many requests may share.
final class HeaderList {
  fileprivate(set) var first: UnsafeMutablePointer<curl_slist>?

  /// - Parameter lines: as in `apns-priority: 10`; `Accept:` alone removes libcurl's own header.
  init(_ lines: [String]) {
    for line in lines { first = curl_slist_append(first, line) }
  }

  deinit { curl_slist_free_all(first) }
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
  let url: String
  /// A header of this request alone; nil for none.
  let ownHeader: String?
  let headers: HeaderList
  let body: RequestBody
}

/// The answer to a request.
struct Answer {
  /// 0 without an answer.
  let status: Int
  /// The start of the answer's body; empty for status 200.
  let body: String
  /// How long the server asks us to wait; nil if it does not say.
  let retryAfter: Duration?
  let isHTTP2: Bool
  let failure: Failure?

  /// Why there is no whole answer.
  struct Failure {
    let code: CURLcode
    let words: String

    /// True if the failure concerns only this request, and not the connection.
    var isOfOneRequest: Bool { [CURLE_OPERATION_TIMEDOUT, CURLE_HTTP2_STREAM].contains(code) }
  }
}
