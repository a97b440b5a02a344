import Basics
import CCurl
@preconcurrency import Glibc

/// A handle of libcurl, with its current request.
final class Transfer {
  /// In bytes: the minimum of libcurl. Answers are short.
  private static let buffer = 1024
  private static let uploadBuffer = 16_384

  private let handle: CurlHandle
  private(set) var tag: Int64 = 0
  private var headers: HeaderList?
  private var body: RequestBody?
  /// The request's own header, in front of the shared ones.
  private let ownHeader: UnsafeMutablePointer<curl_slist>
  private var received: [UInt8] = []
  /// The answer is longer than is read.
  private var isCut = false

  var easy: UnsafeMutableRawPointer { handle.easy }

  init(_ settings: CarrierSettings) throws(Fault) {
    handle = try CurlHandle(settings)
    ownHeader = .allocate(capacity: 1)
    ownHeader.initialize(to: curl_slist())
    handle.set(CURLOPT_POST, 1)
    handle.set(CURLOPT_BUFFERSIZE, Self.buffer)
    handle.set(CURLOPT_UPLOAD_BUFFERSIZE, Self.uploadBuffer)
    handle.set(CURLOPT_TIMEOUT_MS, Int(settings.patience / .milliseconds(1)))
    // Waits for the one connection instead of making another.
    handle.set(CURLOPT_PIPEWAIT, 1)
    clocksmith_curl_writer(
      easy,
      { bytes, size, count, context in
        let transfer = Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue()
        return transfer.receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    free(ownHeader.pointee.data)
    ownHeader.deallocate()
  }

  /// - Parameter wantsFreshConnection: true if the open connection may be dead.
  func take(_ request: Request, wantsFreshConnection: Bool) {
    tag = request.tag
    headers = request.headers
    body = request.body
    received.removeAll(keepingCapacity: true)
    isCut = false
    handle.forgetWords()
    handle.set(CURLOPT_FRESH_CONNECT, wantsFreshConnection ? 1 : 0)
    handle.set(CURLOPT_URL, request.address)
    clocksmith_curl_pointer(easy, CURLOPT_POSTFIELDS, request.body.bytes)
    handle.set(CURLOPT_POSTFIELDSIZE, request.body.count)
    var first = request.headers.list
    if let own = request.ownHeader {
      free(ownHeader.pointee.data)
      ownHeader.pointee.data = strdup("\(own.name): \(own.value)")
      ownHeader.pointee.next = first
      first = ownHeader
    }
    clocksmith_curl_pointer(easy, CURLOPT_HTTPHEADER, first)
  }

  /// - Returns: how many of the bytes it has taken. libcurl ends the transfer if it is not all.
  private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
    let taken = bytes.prefix(PushResponse.mostOfBody - received.count)
    received.append(contentsOf: taken)
    if taken.count < bytes.count { isCut = true }
    return taken.count
  }

  /// False while no byte of the request can have left.
  var hasBegun: Bool {
    var microseconds: curl_off_t = 0
    clocksmith_curl_ask_offset(easy, CURLINFO_PRETRANSFER_TIME_T, &microseconds)
    return microseconds > 0
  }

  /// True if the answer came by HTTP/2 or later.
  var isMultiplexed: Bool {
    var version = 0
    clocksmith_curl_ask_number(easy, CURLINFO_HTTP_VERSION, &version)
    return version >= CURL_HTTP_VERSION_2_0
  }

  /// The answer to the request. Keeps nothing of the request.
  func answer(_ result: CURLcode) -> PushResponse {
    headers = nil
    body = nil
    var status = 0
    clocksmith_curl_ask_number(easy, CURLINFO_RESPONSE_CODE, &status)
    var seconds: curl_off_t = 0
    if status != 200 { clocksmith_curl_ask_offset(easy, CURLINFO_RETRY_AFTER, &seconds) }
    return PushResponse(
      status: status, body: status == 200 ? "" : String(decoding: received, as: UTF8.self),
      retryAfter: .pause(seconds: Int64(seconds)),
      failure: result == CURLE_OK || isCut ? nil : handle.failure(result))
  }
}
