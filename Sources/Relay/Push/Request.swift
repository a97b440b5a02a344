import CCurl
@preconcurrency import Glibc

/// Headers of requests, as libcurl wants them: many requests may have the same.
final class HeaderList {
  fileprivate(set) var first: UnsafeMutablePointer<curl_slist>?

  /// - Parameter lines: as in `apns-priority: 10`; `Accept:` alone leaves out what libcurl adds.
  init(_ lines: [String]) {
    for line in lines { first = curl_slist_append(first, line) }
  }

  deinit { curl_slist_free_all(first) }
}

/// The bytes of a body, which many requests may have in common.
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
  /// By which the answer is known.
  let tag: Int64
  let url: String
  /// A header of this request alone; nil for none.
  let ownHeader: String?
  let headers: HeaderList
  let body: RequestBody
}

/// What has come back.
struct Answer {
  /// 0 without an answer.
  let status: Int
  /// Of what was not accepted, its beginning.
  let body: String
  /// How long the server wants to be left alone; nil if it does not say.
  let retryAfter: Duration?
  let isHTTP2: Bool
  let failure: Failure?

  /// Why there is no whole answer.
  struct Failure {
    let code: CURLcode
    let words: String

    /// True if it says something of this request alone, and nothing of the connection.
    var isOfOneRequest: Bool { [CURLE_OPERATION_TIMEDOUT, CURLE_HTTP2_STREAM].contains(code) }
  }
}
