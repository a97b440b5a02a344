import Basics
import COpenSSL

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
    complaint = Self.complaint(of: SSL_CTX_get0_certificate(context), certificate)
  }

  private static func text(_ path: String) throws(Fault) -> String {
    String(decoding: try readRegularFile(path, largest: longest), as: UTF8.self)
  }

  private static func complaint(of certificate: OpaquePointer?, _ path: String) -> Fault? {
    guard let certificate else { return nil }
    if X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0 {
      return Fault(path, "this certificate has expired; renew it, then reload the relay")
    }
    if X509_cmp_current_time(X509_get0_notBefore(certificate)) > 0 {
      return Fault(path, "this certificate is not valid yet, by the clock of this machine")
    }
    return nil
  }
}
