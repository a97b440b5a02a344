import Basics
import COpenSSL
@preconcurrency import Glibc
import Horology

/// A program on the web that gets messages by Standard Webhooks 1.0.0. Each request is signed, and
/// its time with it.
struct WebhookProvider: Provider {
  let name: String
  let environment: Device.Environment? = nil
  let events: PushEvents
  let settings: TransferSettings

  private let url: String
  private let secret: WebhookSecret

  init(_ name: String, _ configured: PushConfiguration.Entry) throws(Fault) {
    self.name = "webhook \(name)"
    events = configured.events
    settings = try TransferSettings(authorities: configured.authorities)
    url = configured.address
    secret = try Secret.needed(
      by: "the webhook at \(configured.host)", "secret", file: configured.secretFile,
      credential: "webhook-secret",
      form: "whsec_ and the base64 of 24 to 64 bytes are wanted, as of "
        + "'echo whsec_$(openssl rand -base64 32)'"
    ) { WebhookSecret(text: $0) }
  }

  func request(_ delivery: Delivery, to _: String, at now: Instant) -> PushRequest {
    let message = delivery.message
    let data = Record([
      "clock": .text(message.title), "kind": .text(message.event.text),
      "words": .text(message.body), "fields": .record(message.details),
    ])
    let body = Record([
      "type": .text(message.kind), "timestamp": .text(message.created.rfc3339),
      "data": .record(data),
    ]).json
    let id = delivery.id
    let seconds = now.microseconds / 1_000_000
    return PushRequest(
      url: url,
      headers: [
        "content-type: application/json", "webhook-id: \(id)", "webhook-timestamp: \(seconds)",
        "webhook-signature: v1,\(secret.signature(of: "\(id).\(seconds).\(body)"))",
      ], body: body)
  }

  /// Anything but 2xx is a failure, also a redirect. With 410 the program wants nothing more.
  func verdict(on answer: PushResponse) -> Verdict {
    if let verdict = Verdict(common: answer) { return verdict }
    if answer.status == 410 { return .noMore("status 410") }
    return .again("the server answers status \(answer.status)")
  }
}

/// The shared secret: 24 to 64 bytes, written as `whsec_` and their base64.
struct WebhookSecret {
  private static let mark = "whsec_"
  private let bytes: [UInt8]

  /// Nil if the text is not a secret of this form.
  init?(text: String) {
    guard text.hasPrefix(Self.mark) else { return nil }
    let digits = Array(text.utf8.dropFirst(Self.mark.utf8.count))
    var decoded = [UInt8](repeating: 0, count: digits.count + 4)
    guard digits.count.isMultiple(of: 4),
      case let count = EVP_DecodeBlock(&decoded, digits, Int32(digits.count)), count > 0
    else { return nil }
    // OpenSSL also counts the bytes for which the equals signs at the end stand.
    let padding = digits.suffix(2).filter { $0 == UInt8(ascii: "=") }.count
    bytes = Array(decoded.prefix(Int(count) - padding))
    guard (24...64).contains(bytes.count) else { return nil }
  }

  func signature(of text: String) -> String {
    let message = Array(text.utf8)
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    HMAC(
      EVP_sha256(), bytes, Int32(bytes.count), message, message.count, &digest, &length)
    var encoded = [UInt8](repeating: 0, count: 4 * (Int(length) + 2) / 3 + 1)
    let count = EVP_EncodeBlock(&encoded, digest, Int32(length))
    return String(decoding: encoded.prefix(Int(count)), as: UTF8.self)
  }
}
