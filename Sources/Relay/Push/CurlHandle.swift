import Basics
import CCurl
@preconcurrency import Glibc

/// A handle of libcurl, with the options that every connection needs.
final class CurlHandle {
  /// In milliseconds: how much of a request's time may go by before there is a connection.
  private static let longestConnect = 10_000
  /// In seconds: how long an idle connection is kept, and when its first keep-alive probe is sent.
  private static let longestIdle = 3600
  private static let firstProbe = 60

  let easy: UnsafeMutableRawPointer
  private let words: UnsafeMutablePointer<CChar>

  /// - Throws: `Fault` if libcurl has no memory for it.
  init(_ settings: CarrierSettings) throws(Fault) {
    guard let made = curl_easy_init() else { throw Fault("cannot use libcurl", errno: ENOMEM) }
    easy = made
    words = .allocate(capacity: Int(CURL_ERROR_SIZE))
    words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    set(CURLOPT_ERRORBUFFER, words)
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_CONNECTTIMEOUT_MS, Self.longestConnect)
    // A libcurl thread looks names up, which may take half a minute: do not wait for it at the end.
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_TCP_KEEPALIVE, 1)
    set(CURLOPT_TCP_KEEPIDLE, Self.firstProbe)
    set(CURLOPT_MAXAGE_CONN, Self.longestIdle)
    set(CURLOPT_PROTOCOLS_STR, settings.server == nil ? "http,https" : "https")
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
  }

  deinit {
    curl_easy_cleanup(easy)
    words.deallocate()
  }

  func set(_ option: CURLoption, _ value: Int) {
    clocksmith_curl_number(easy, option, value)
  }

  func set(_ option: CURLoption, _ value: UnsafePointer<CChar>?) {
    clocksmith_curl_pointer(easy, option, value)
  }

  /// Drops what was wrong with the last request.
  func forgetWords() { words[0] = 0 }

  func failure(_ code: CURLcode) -> PushResponse.Failure {
    PushResponse.Failure(
      code: code,
      words: String(cString: words[0] == 0 ? curl_easy_strerror(code) : UnsafePointer(words)))
  }
}
