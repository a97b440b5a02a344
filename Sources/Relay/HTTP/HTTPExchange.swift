/// The head of a request.
struct HTTPHead {
  let method: String
  /// As in `/v1/state`. Its escapes are not decoded.
  let path: String
  let address: String
  let authorization: String?
  /// Where the page comes from that has a browser ask.
  let origin: String?
  let contentType: String?
  /// The length of the body in bytes; nil if the head does not tell it.
  let length: Int?
  /// The body comes in pieces, and its length is not told before.
  let isChunked: Bool
  /// The client sends its body only when asked (`Expect: 100-continue`).
  let isPatient: Bool

  var hasBody: Bool { isChunked || length ?? 0 > 0 }
}

/// A request and its answer, which may come later.
final class HTTPExchange {
  let head: HTTPHead
  /// The part of the body that is kept.
  private(set) var body: [UInt8] = []
  /// Bytes of the body received so far, kept or not.
  private(set) var size = 0
  /// The refusal by the head alone; the rest of the request is thrown away.
  let refusal: HTTPAnswer?
  private(set) var answer: HTTPAnswer?
  var isServed = false
  /// Called once, when there is an answer; nil when nobody waits for one any more.
  var answered: (() -> Void)?

  init(_ head: HTTPHead, refusal: HTTPAnswer?) {
    self.head = head
    self.refusal = refusal
  }

  func take(_ bytes: UnsafeRawBufferPointer, most: Int) {
    size += bytes.count
    if refusal == nil { body.append(contentsOf: bytes.prefix(max(most - body.count, 0))) }
  }

  /// Answers the request, unless it has an answer.
  func answer(_ answer: HTTPAnswer) {
    guard self.answer == nil else { return }
    self.answer = answer
    let told = answered
    answered = nil
    told?()
  }
}
