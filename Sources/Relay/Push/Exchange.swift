import CCurl
@preconcurrency import Glibc

/// A request on a connection of HTTP/2, and what has come of its answer.
final class Exchange {
  let request: Request
  /// The time of `uptime` at which it fails if the answer is not complete.
  let deadline: Duration
  /// It was sent before, and is on its second try.
  var isSentAgain = false
  /// The server may have taken it on its first connection.
  var mayHaveArrived = false
  /// False while no byte of it can have left.
  var hasBegun = false
  /// How much of the request's body has left.
  var sent = 0
  var status = 0
  var body: [UInt8] = []
  var retryAfter: Duration?

  init(_ request: Request, deadline: Duration) {
    self.request = request
    self.deadline = deadline
  }

  func answer(_ failure: PushResponse.Failure?) -> PushResponse {
    PushResponse(
      status: status, body: status == 200 ? "" : String(decoding: body, as: UTF8.self),
      retryAfter: retryAfter, failure: failure)
  }

  /// Takes a header of the answer.
  func take(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    if name.elementsEqual(":status".utf8) {
      status = Int(String(decoding: value, as: UTF8.self)) ?? 0
    } else if name.elementsEqual("retry-after".utf8) {
      let text = String(decoding: value, as: UTF8.self)
      retryAfter = .pause(seconds: Int64(text) ?? Int64(curl_getdate(text, nil) - time(nil)))
    }
  }

  func take(_ bytes: UnsafeBufferPointer<UInt8>) {
    if status != 200 { body.append(contentsOf: bytes.prefix(PushResponse.mostOfBody - body.count)) }
  }

  /// Copies the next bytes of the request's body.
  /// - Returns: how many.
  func fill(_ buffer: UnsafeMutablePointer<UInt8>, _ most: Int) -> Int {
    let count = min(most, request.body.count - sent)
    buffer.update(from: request.body.bytes + sent, count: count)
    sent += count
    return count
  }

  /// True if the request's body has left.
  var isSent: Bool { sent == request.body.count }
}
