import CMicroHTTPD

/// The head of a request.
struct HTTPHead {
  let method: String
  /// As in `/v1/state`; what stood there in escapes is itself.
  let path: String
  let address: String
  let authorization: String?
  let contentType: String?
  /// Nil if it does not say how long its body is.
  let length: Int?
  /// In pieces, with no length said before.
  let isChunked: Bool
  /// It sends its body when it is asked to.
  let isPatient: Bool

  var hasBody: Bool { isChunked || length ?? 0 > 0 }
}

/// A request and its answer, which may come later.
final class HTTPExchange {
  let head: HTTPHead
  /// As much of it as is read.
  private(set) var body: [UInt8] = []
  /// Of the whole body, so far.
  private(set) var size = 0
  /// Decided by the head; what is left of the request is thrown away.
  let refusal: HTTPAnswer?
  private(set) var answer: HTTPAnswer?
  var isServed = false
  /// Called once, with the answer; nil once nobody waits for one any more.
  var answered: (() -> Void)?

  init(_ head: HTTPHead, refusal: HTTPAnswer?) {
    self.head = head
    self.refusal = refusal
  }

  func take(_ bytes: UnsafeRawBufferPointer, most: Int) {
    size += bytes.count
    if refusal == nil { body.append(contentsOf: bytes.prefix(max(most - body.count, 0))) }
  }

  /// Answers it, if it was not before.
  func answer(_ answer: HTTPAnswer) {
    guard self.answer == nil else { return }
    self.answer = answer
    let told = answered
    answered = nil
    told?()
  }
}
