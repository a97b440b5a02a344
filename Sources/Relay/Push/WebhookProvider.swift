import Basics
import COpenSSL
@preconcurrency import Glibc
import Horology

extension Provider {
  /// A program on the web that gets messages by Standard Webhooks 1.0.0. Each request is signed, and
  /// its time with it.
  static func webhook(
    _ name: String, _ entry: PushConfiguration.Entry
  ) throws(Fault) -> Provider {
    if entry.address.isEmpty {
      throw Fault("[webhook \(name)] has no address", "write 'url = https://...' under it")
    }
    let secret = try Secret.needed(
      by: "the webhook at \(entry.host)", "secret", file: entry.secretFile,
      credential: "webhook-secret",
      form: "whsec_ and the base64 of 24 to 64 bytes are wanted, as of "
        + "'echo whsec_$(openssl rand -base64 32)'"
    ) { WebhookSecret(text: $0) }
    return Provider(
      name: "webhook \(name)", events: entry.events,
      authorities: entry.authorities,
      request: { delivery, now in
        let (id, message) = (delivery.id, delivery.message)
        let data = Record([
          "clock": .text(message.title), "kind": .text(message.event.text),
          "words": .text(message.body), "fields": .record(message.details),
        ])
        let body = Record([
          "type": .text(message.kind), "timestamp": .text(message.created.rfc3339),
          "data": .record(data),
        ]).json
        let seconds = now.microseconds / 1_000_000
        let headers = [
          "webhook-id: \(id)", "webhook-timestamp: \(seconds)",
          "webhook-signature: v1,\(secret.signature(of: "\(id).\(seconds).\(body)"))",
        ]
        return PushRequest(url: entry.address, headers: headers, body: body)
      },
      // Gone, or too large. Anything else but 2xx is tried again, also a redirect.
      verdict: { [410, 413].contains($0.status) ? .refused("status \($0.status)") : nil })
  }
}

/// The shared secret: 24 to 64 bytes, written as `whsec_` and their base64.
struct WebhookSecret {
  private let bytes: [UInt8]

  /// Nil if the text is not a secret of this form.
  init?(text: String) {
    guard text.hasPrefix("whsec_") else { return nil }
    let digits = Array(text.utf8.dropFirst("whsec_".utf8.count))
    var decoded = [UInt8](repeating: 0, count: digits.count + 4)
    let count = EVP_DecodeBlock(&decoded, digits, Int32(digits.count))
    // OpenSSL also counts the bytes for which the equals signs at the end stand.
    let padding = digits.suffix(2).count { $0 == UInt8(ascii: "=") }
    bytes = Array(decoded.prefix(max(Int(count) - padding, 0)))
    guard (24...64).contains(bytes.count) else { return nil }
  }

  func signature(of text: String) -> String {
    let message = Array(text.utf8)
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    HMAC(
      EVP_sha256(), bytes, Int32(bytes.count), message, message.count, &digest, &length)
    var encoded = [UInt8](repeating: 0, count: 2 * digest.count)
    let count = EVP_EncodeBlock(&encoded, digest, Int32(length))
    return String(decoding: encoded.prefix(Int(count)), as: UTF8.self)
  }
}
