import Basics
import CNGHTTP2
@preconcurrency import Glibc

/// The client's side of HTTP/2, by nghttp2: turns requests into bytes, and bytes into answers.
final class HTTP2Session {
  /// An exchange that has ended, and an error code of HTTP/2 (RFC 9113, section 7).
  typealias Ended = (exchange: Exchange, error: UInt32)

  private var session: OpaquePointer!
  /// The fields that all requests have, with the server's name.
  private let common: HeaderList
  /// The requests that have not ended, by their streams.
  private(set) var exchanges: [Int32: Exchange] = [:]
  private var ended: [Ended] = []
  /// Set when the server takes no more requests: its reason, empty if it gives none.
  private(set) var farewell: String?
  /// The server has taken some request of this connection and ends it in order, as nginx does after
  /// `keepalive_requests`. So the next connection will take those that it has not looked at.
  private(set) var isEndedInOrder = false

  /// - Parameter server: as requests name it, with its port if that is not 443.
  init(server: String) throws(Fault) {
    common = HeaderList([
      Header(name: ":method", value: "POST"), Header(name: ":scheme", value: "https"),
      Header(name: ":authority", value: server),
    ])
    var option: OpaquePointer?
    nghttp2_option_new(&option)
    defer { nghttp2_option_del(option) }
    // Until the server says how many requests it takes at a time.
    if option != nil { nghttp2_option_set_peer_max_concurrent_streams(option, 1) }
    let code = Self.withCallbacks { callbacks in
      nghttp2_session_client_new2(
        &session, callbacks, Unmanaged.passUnretained(self).toOpaque(), option)
    }
    guard code == 0 else { throw Fault("cannot use nghttp2", Self.words(code)) }
    var noPush = nghttp2_settings_entry(
      settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0)
    nghttp2_submit_settings(session, 0, &noPush, 1)
  }

  deinit { nghttp2_session_del(session) }

  private static func words(_ code: Int32) -> String { String(cString: nghttp2_strerror(code)) }

  /// True if neither side has anything more to say.
  var isOver: Bool {
    nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
  }

  // MARK: Requests

  /// How many requests the server takes at a time: one until it has said so.
  var most: Int {
    Int(nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
  }

  /// - Returns: false if the session takes no more requests.
  func submit(_ exchange: Exchange) -> Bool {
    let own = exchange.request.ownHeader
    var (path, name, value) = (exchange.request.address, own?.name ?? "", own?.value ?? "")
    let stream = path.withUTF8 { path in
      name.withUTF8 { name in
        value.withUTF8 { value in
          var fields = common.fields
          fields.append(Self.field(Self.pathName.bytes, path))
          if own != nil { fields.append(Self.field(name, value)) }
          fields += exchange.request.headers.fields
          return submit(fields)
        }
      }
    }
    if stream > 0 { exchanges[stream] = exchange }
    return stream > 0
  }

  /// - Returns: the stream, or an error.
  private func submit(_ fields: [nghttp2_nv]) -> Int32 {
    var body = nghttp2_data_provider(source: nghttp2_data_source()) {
      _, stream, buffer, most, flags, _, context in
      // Without it the request was cancelled.
      guard let buffer, let exchange = HTTP2Session.of(context).exchanges[stream] else {
        return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
      }
      let count = exchange.fill(buffer, most)
      if exchange.isSent { flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
      return count
    }
    return nghttp2_submit_request(session, nil, fields, fields.count, &body, nil)
  }

  private static let pathName: StaticString = ":path"

  /// A field that is in no other request. In the table of known fields it would only drive others
  /// out.
  private static func field(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
  ) -> nghttp2_nv {
    nghttp2_nv(
      name: UnsafeMutablePointer(mutating: name.baseAddress),
      value: UnsafeMutablePointer(mutating: value.baseAddress),
      namelen: name.count, valuelen: value.count, flags: UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue))
  }

  /// Forgets a request, and tells the server if it has left.
  func cancel(_ stream: Int32) -> Exchange? {
    nghttp2_submit_rst_stream(session, 0, stream, NGHTTP2_CANCEL.rawValue)
    return exchanges.removeValue(forKey: stream)
  }

  /// Forgets all requests.
  func cancelAll() -> [Exchange] {
    defer { exchanges = [:] }
    return Array(exchanges.values)
  }

  // MARK: Bytes

  /// Takes bytes of the server.
  /// - Returns: what is wrong with them; nil if nothing is.
  func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    let code = nghttp2_session_mem_recv(session, bytes.baseAddress, bytes.count)
    return code < 0 ? Self.words(Int32(code)) : nil
  }

  /// Appends bytes for the server, a frame at a time, until there are `most` or no more.
  func fill(_ bytes: inout [UInt8], _ most: Int) {
    while bytes.count < most {
      var next: UnsafePointer<UInt8>?
      let count = nghttp2_session_mem_send(session, &next)
      guard count > 0 else { return }
      bytes.append(contentsOf: UnsafeBufferPointer(start: next, count: count))
    }
  }

  /// True if `takeEnded` has something to return.
  var hasEnded: Bool { !ended.isEmpty }

  /// The exchanges that have ended since the last call.
  func takeEnded() -> [Ended] {
    defer { ended = [] }
    return ended
  }

  // MARK: Callbacks

  private static func of(_ context: UnsafeMutableRawPointer?) -> HTTP2Session {
    Unmanaged<HTTP2Session>.fromOpaque(context!).takeUnretainedValue()
  }

  private static func withCallbacks(_ body: (OpaquePointer?) -> Int32) -> Int32 {
    var callbacks: OpaquePointer?
    let code = nghttp2_session_callbacks_new(&callbacks)
    guard code == 0 else { return code }
    defer { nghttp2_session_callbacks_del(callbacks) }
    nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      _, frame, name, nameCount, value, valueCount, _, context in
      HTTP2Session.of(context).exchanges[frame!.pointee.hd.stream_id]?.take(
        UnsafeBufferPointer(start: name, count: nameCount),
        UnsafeBufferPointer(start: value, count: valueCount))
      return 0
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
      _, _, stream, bytes, count, context in
      HTTP2Session.of(context).exchanges[stream]?.take(
        UnsafeBufferPointer(start: bytes, count: count))
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, context in
      if frame!.pointee.hd.type == NGHTTP2_HEADERS.rawValue {
        HTTP2Session.of(context).exchanges[frame!.pointee.hd.stream_id]?.hasBegun = true
      }
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
      if frame!.pointee.hd.type == NGHTTP2_GOAWAY.rawValue {
        HTTP2Session.of(context).takeFarewell(frame!.pointee.goaway)
      }
      return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) {
      _, stream, error, context in
      let session = HTTP2Session.of(context)
      if let exchange = session.exchanges.removeValue(forKey: stream) {
        session.ended.append((exchange, error))
      }
      return 0
    }
    return body(callbacks)
  }

  private func takeFarewell(_ frame: nghttp2_goaway) {
    let told = UnsafeBufferPointer(start: frame.opaque_data, count: frame.opaque_data_len)
    let text = String(decoding: told.prefix(256), as: UTF8.self)
    farewell = Verdict.reason(in: try? Record(json: text, path: "the farewell")) ?? ""
    // A graceful shutdown is announced by the highest number that there is (RFC 9113, 6.8).
    isEndedInOrder =
      frame.error_code == NGHTTP2_NO_ERROR.rawValue && frame.last_stream_id > 0
      && frame.last_stream_id < Int32.max
  }
}

extension StaticString {
  fileprivate var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
  }
}
