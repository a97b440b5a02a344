import Basics
import CCurl
@preconcurrency import Glibc

struct PushRequest {
  let url: String
  let headers: [String]
  let body: String
}

struct PushResponse {
  let status: Int
  /// Its start.
  var body = ""
  /// How long the server wants to be left alone; zero if it does not say.
  var retryAfter = Duration.zero
  /// Why there is no whole answer.
  var failure: String?
  /// Of the request.
  var sent: [String] = []
}

final class Transfer {
  let delivery: Delivery
  let easy: UnsafeMutableRawPointer
  private let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
  private var headers: UnsafeMutablePointer<curl_slist>?
  private var received: [UInt8] = []
  private let sent: [String]

  init(_ delivery: Delivery, to provider: Provider) throws(Fault) {
    let request = try provider.request(delivery, .now)
    guard let made = curl_easy_init() else { throw Fault("cannot use libcurl", errno: ENOMEM) }
    easy = made
    sent = request.headers
    self.delivery = delivery
    words[0] = 0
    set(CURLOPT_ERRORBUFFER, words)
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_POST, 1)
    // In seconds. Standard Webhooks proposes 15 to 30.
    set(CURLOPT_TIMEOUT, 30)
    set(CURLOPT_CONNECTTIMEOUT, 10)
    // A libcurl thread looks names up, which may take half a minute: do not wait for it at the end.
    set(CURLOPT_QUICK_EXIT, 1)
    // The connection stays open for an hour without a message.
    set(CURLOPT_TCP_KEEPALIVE, 1)
    set(CURLOPT_TCP_KEEPIDLE, 60)
    set(CURLOPT_MAXAGE_CONN, 3600)
    set(CURLOPT_UPLOAD_BUFFERSIZE, 16_384)
    // Waits for the one connection instead of making another.
    set(CURLOPT_PIPEWAIT, 1)
    // A macro of another type in later versions.
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    let isFolder = isSpecialFile(provider.authorities)
    set(isFolder ? CURLOPT_CAPATH : CURLOPT_CAINFO, provider.authorities)
    set(isFolder ? CURLOPT_CAINFO : CURLOPT_CAPATH, UnsafePointer<CChar>?.none)
    if let certificate = provider.certificate, let key = provider.key {
      set(CURLOPT_SSLCERT, certificate)
      set(CURLOPT_SSLKEY, key)
      // OpenSSL would ask a terminal for the password of a key, and wait.
      set(CURLOPT_KEYPASSWD, "")
    }
    clocksmith_curl_writer(
      easy,
      { bytes, size, count, context in
        let transfer = Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue()
        let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
        let kept = bytes.prefix(4096 - transfer.received.count)
        transfer.received.append(contentsOf: kept)
        // libcurl ends the transfer if it is not all.
        return kept.count
      }, Unmanaged.passUnretained(self).toOpaque())
    // Without a value, libcurl leaves out its own header.
    for header in ["accept:", "content-type: application/json"] + request.headers {
      headers = curl_slist_append(headers, header)
    }
    clocksmith_curl_pointer(easy, CURLOPT_HTTPHEADER, headers)
    set(CURLOPT_URL, request.url)
    set(CURLOPT_COPYPOSTFIELDS, request.body)
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(headers)
    words.deallocate()
  }

  func set(_ option: CURLoption, _ value: Int) {
    clocksmith_curl_number(easy, option, value)
  }

  private func set(_ option: CURLoption, _ value: UnsafePointer<CChar>?) {
    clocksmith_curl_pointer(easy, option, value)
  }

  /// Zero until the answer begins.
  var status: Int {
    var status = 0
    clocksmith_curl_ask_number(easy, CURLINFO_RESPONSE_CODE, &status)
    return status
  }

  func answer(_ result: CURLcode) -> PushResponse {
    var seconds: curl_off_t = 0
    clocksmith_curl_ask_offset(easy, CURLINFO_RETRY_AFTER, &seconds)
    // An answer that is longer than is kept is a whole one.
    let isWhole = result == CURLE_OK || result == CURLE_WRITE_ERROR
    let reason = words[0] == 0 ? curl_easy_strerror(result) : UnsafePointer(words)
    return PushResponse(
      status: status, body: String(decoding: received, as: UTF8.self),
      retryAfter: .seconds(Int64(seconds)), failure: isWhole ? nil : String(cString: reason!),
      sent: sent)
  }
}
