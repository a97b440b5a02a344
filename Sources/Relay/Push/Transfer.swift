import Basics
import CCurl
@preconcurrency import Glibc

/// A POST over HTTP.
struct PushRequest {
  let tag: String
  let url: String
  let headers: [String]
  let body: String
}

/// The answer to a request.
struct PushResponse {
  let status: Int
  /// The start of the answer's body.
  let body: String
  /// How long the server asks us to wait, a day at most; nil if it does not say.
  let retryAfter: Duration?
  /// Why there is no whole answer.
  let failure: Failure?

  /// The server has taken the request, even if the rest of its answer has not come.
  var isSuccess: Bool { (200..<300).contains(status) }

  struct Failure {
    let code: CURLcode
    let words: String

    var isLate: Bool { code == CURLE_OPERATION_TIMEDOUT }

    /// True if the failure concerns only this request, and not the connection.
    var isOfOneRequest: Bool { [CURLE_OPERATION_TIMEDOUT, CURLE_HTTP2_STREAM].contains(code) }
  }
}

/// A request by libcurl.
final class Transfer {
  /// In milliseconds: how long a request may take, of which to connect. Standard Webhooks proposes
  /// 15 to 30 s.
  private static let patience = 30_000
  private static let longestConnect = 10_000
  /// In seconds: how long an idle connection is kept, and when its first keep-alive probe is sent.
  private static let longestIdle = 3600
  private static let firstProbe = 60
  /// In bytes. libcurl 7.88 reads only this much of an answer by HTTP/2, and may not read on.
  private static let buffer = 16_384
  /// In bytes: how much of an answer is kept.
  private static let mostOfBody = 4096

  let easy: UnsafeMutableRawPointer
  let tag: String
  private let needsHTTP2: Bool
  private let words: UnsafeMutablePointer<CChar>
  private var headers: UnsafeMutablePointer<curl_slist>?
  private var received: [UInt8] = []

  /// - Parameter wantsFreshConnection: true if the open connection may be dead.
  init(
    _ request: PushRequest, _ settings: TransferSettings, wantsFreshConnection: Bool
  ) throws(Fault) {
    guard let made = curl_easy_init() else { throw Fault("cannot use libcurl", errno: ENOMEM) }
    easy = made
    tag = request.tag
    needsHTTP2 = settings.needsHTTP2
    words = .allocate(capacity: Int(CURL_ERROR_SIZE))
    words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    set(CURLOPT_ERRORBUFFER, words)
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_POST, 1)
    set(CURLOPT_TIMEOUT_MS, Self.patience)
    set(CURLOPT_CONNECTTIMEOUT_MS, Self.longestConnect)
    // A libcurl thread looks names up, which may take half a minute: do not wait for it at the end.
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_TCP_KEEPALIVE, 1)
    set(CURLOPT_TCP_KEEPIDLE, Self.firstProbe)
    set(CURLOPT_MAXAGE_CONN, Self.longestIdle)
    set(CURLOPT_BUFFERSIZE, Self.buffer)
    set(CURLOPT_UPLOAD_BUFFERSIZE, Self.buffer)
    // Waits for the one connection instead of making another.
    set(CURLOPT_PIPEWAIT, 1)
    set(CURLOPT_PROTOCOLS_STR, needsHTTP2 ? "https" : "http,https")
    // A macro of another type in later versions.
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    let isFolder = isSpecialFile(settings.authorities)
    set(isFolder ? CURLOPT_CAPATH : CURLOPT_CAINFO, settings.authorities)
    set(isFolder ? CURLOPT_CAINFO : CURLOPT_CAPATH, UnsafePointer<CChar>?.none)
    if let certificate = settings.certificate, let key = settings.key {
      set(CURLOPT_SSLCERT, certificate)
      set(CURLOPT_SSLKEY, key)
      // OpenSSL would ask a terminal for the password of a key, and wait.
      set(CURLOPT_KEYPASSWD, "")
    }
    clocksmith_curl_writer(
      easy,
      { bytes, size, count, context in
        let transfer = Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue()
        return transfer.receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
      }, Unmanaged.passUnretained(self).toOpaque())
    // Without a value, libcurl leaves out its own header.
    for header in ["accept:"] + request.headers { headers = curl_slist_append(headers, header) }
    clocksmith_curl_pointer(easy, CURLOPT_HTTPHEADER, headers)
    set(CURLOPT_FRESH_CONNECT, wantsFreshConnection ? 1 : 0)
    set(CURLOPT_URL, request.url)
    set(CURLOPT_POSTFIELDSIZE, request.body.utf8.count)
    set(CURLOPT_COPYPOSTFIELDS, request.body)
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(headers)
    words.deallocate()
  }

  private func set(_ option: CURLoption, _ value: Int) {
    clocksmith_curl_number(easy, option, value)
  }

  private func set(_ option: CURLoption, _ value: UnsafePointer<CChar>?) {
    clocksmith_curl_pointer(easy, option, value)
  }

  /// - Returns: how many of the bytes it has taken. libcurl ends the transfer if it is not all.
  private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
    let taken = bytes.prefix(Self.mostOfBody - received.count)
    received.append(contentsOf: taken)
    return taken.count
  }

  func answer(_ result: CURLcode) -> PushResponse {
    var (status, version) = (0, 0)
    clocksmith_curl_ask_number(easy, CURLINFO_RESPONSE_CODE, &status)
    clocksmith_curl_ask_number(easy, CURLINFO_HTTP_VERSION, &version)
    if needsHTTP2, status > 0, version < CURL_HTTP_VERSION_2_0 {
      let failure = PushResponse.Failure(
        code: CURLE_HTTP2, words: "the server does not speak HTTP/2")
      return PushResponse(status: 0, body: "", retryAfter: nil, failure: failure)
    }
    var seconds: curl_off_t = 0
    clocksmith_curl_ask_offset(easy, CURLINFO_RETRY_AFTER, &seconds)
    // An answer that is longer than is kept is a whole one.
    let isWhole = result == CURLE_OK || result == CURLE_WRITE_ERROR
    let reason = words[0] == 0 ? curl_easy_strerror(result) : UnsafePointer(words)
    return PushResponse(
      status: status, body: String(decoding: received, as: UTF8.self),
      retryAfter: seconds > 0 ? .seconds(min(Int64(seconds), 86_400)) : nil,
      failure: isWhole ? nil : .init(code: result, words: String(cString: reason!)))
  }
}
