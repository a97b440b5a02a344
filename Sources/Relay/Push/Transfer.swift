import Basics
import CCurl
@preconcurrency import Glibc

/// A handle of libcurl, with its current request.
final class Transfer {
  /// In bytes: an answer tells nothing more after this.
  private static let mostOfBody = 4096
  /// In bytes: the minimum of libcurl. Answers are short, and there are many handles.
  private static let buffer = 1024
  private static let uploadBuffer = 16_384
  /// In seconds: how long an idle connection is kept, and when its first keep-alive probe is sent.
  private static let longestIdle = 3600
  private static let firstProbe = 60

  let easy: UnsafeMutableRawPointer
  private(set) var tag: Int64 = 0
  private var headers: HeaderList?
  private var body: RequestBody?
  /// The request's own header, in front of the shared ones.
  private let ownHeader: UnsafeMutablePointer<curl_slist>
  private let words: UnsafeMutablePointer<CChar>
  private var received: [UInt8] = []

  init(_ settings: Transfers.Settings) throws(Fault) {
    guard let made = curl_easy_init() else { throw Fault("cannot use libcurl", errno: ENOMEM) }
    easy = made
    ownHeader = .allocate(capacity: 1)
    ownHeader.initialize(to: curl_slist())
    words = .allocate(capacity: Int(CURL_ERROR_SIZE))
    words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    set(CURLOPT_ERRORBUFFER, words)
    set(CURLOPT_POST, 1)
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_BUFFERSIZE, Self.buffer)
    set(CURLOPT_UPLOAD_BUFFERSIZE, Self.uploadBuffer)
    set(CURLOPT_TIMEOUT_MS, Int(settings.patience / .milliseconds(1)))
    set(CURLOPT_CONNECTTIMEOUT_MS, Int(settings.patience / .milliseconds(2)))
    // A libcurl thread looks names up, which may take half a minute: do not wait for it at the end.
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_TCP_KEEPALIVE, 1)
    set(CURLOPT_TCP_KEEPIDLE, Self.firstProbe)
    set(CURLOPT_MAXAGE_CONN, Self.longestIdle)
    // Waits for the one connection instead of making another.
    set(CURLOPT_PIPEWAIT, 1)
    set(
      CURLOPT_HTTP_VERSION, settings.isHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_NONE)
    set(CURLOPT_PROTOCOLS_STR, settings.isHTTP2 ? "https" : "http,https")
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
        transfer.receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
        return size * count
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    curl_easy_cleanup(easy)
    free(ownHeader.pointee.data)
    ownHeader.deallocate()
    words.deallocate()
  }

  private func set(_ option: CURLoption, _ value: Int) {
    clocksmith_curl_number(easy, option, value)
  }

  private func set(_ option: CURLoption, _ value: UnsafePointer<CChar>?) {
    clocksmith_curl_pointer(easy, option, value)
  }

  func take(_ request: Request) {
    tag = request.tag
    headers = request.headers
    body = request.body
    received.removeAll(keepingCapacity: true)
    words[0] = 0
    set(CURLOPT_URL, request.url)
    clocksmith_curl_pointer(easy, CURLOPT_POSTFIELDS, request.body.bytes)
    set(CURLOPT_POSTFIELDSIZE, request.body.count)
    var first = request.headers.first
    if let own = request.ownHeader {
      free(ownHeader.pointee.data)
      ownHeader.pointee.data = strdup(own)
      ownHeader.pointee.next = first
      first = ownHeader
    }
    clocksmith_curl_pointer(easy, CURLOPT_HTTPHEADER, first)
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) {
    received.append(contentsOf: bytes.prefix(Self.mostOfBody - received.count))
  }

  /// False while no byte of the request can have left.
  var hasBegun: Bool {
    var microseconds: curl_off_t = 0
    clocksmith_curl_ask_offset(easy, CURLINFO_PRETRANSFER_TIME_T, &microseconds)
    return microseconds > 0
  }

  /// The answer to the request. Keeps nothing of the request.
  func answer(_ result: CURLcode) -> Answer {
    headers = nil
    body = nil
    var status = 0
    clocksmith_curl_ask_number(easy, CURLINFO_RESPONSE_CODE, &status)
    var version = 0
    clocksmith_curl_ask_number(easy, CURLINFO_HTTP_VERSION, &version)
    var seconds: curl_off_t = 0
    if status != 200 { clocksmith_curl_ask_offset(easy, CURLINFO_RETRY_AFTER, &seconds) }
    let failure =
      result == CURLE_OK
      ? nil
      : Answer.Failure(
        code: result,
        words: String(cString: words[0] == 0 ? curl_easy_strerror(result) : UnsafePointer(words)))
    return Answer(
      status: status, body: status == 200 ? "" : String(decoding: received, as: UTF8.self),
      retryAfter: seconds > 0 ? .seconds(min(Int64(seconds), 86_400)) : nil,
      isHTTP2: version == CURL_HTTP_VERSION_2_0, failure: failure)
  }
}
