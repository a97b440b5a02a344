import Basics
import COpenSSL
import Horology

/// The identity of the clock for apps: a certificate, with those that vouch for it, and its key.
struct TLSIdentity: Hashable {
  let certificate: String
  let key: String
  /// Why apps will refuse the certificate: expired or not valid yet. Nil if it is valid now.
  let complaint: Fault?

  private static let longest = 1 << 17

  /// - Throws: `Fault` if a file cannot be read, or the two do not belong together.
  init(certificate: String, key: String) throws(Fault) {
    self.certificate = try Self.text(certificate)
    self.key = try Self.text(key)
    guard let context = SSL_CTX_new(TLS_server_method()) else {
      throw Fault("cannot use TLS", TLSContext.reason)
    }
    defer { SSL_CTX_free(context) }
    try TLSContext.show(certificate, key, in: context)
    complaint = CertificateDates(of: SSL_CTX_get0_certificate(context), path: certificate)?
      .complaint(at: .now)
  }

  private static func text(_ path: String) throws(Fault) -> String {
    String(decoding: try readRegularFile(path, largest: longest), as: UTF8.self)
  }
}
