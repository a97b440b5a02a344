import Basics
import COpenSSL
@preconcurrency import Glibc
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
    let dates = try CertificateDates(certificate)
    complaint = dates.isValid ? nil : dates.complaint
  }

  private static func text(_ path: String) throws(Fault) -> String {
    String(decoding: try readRegularFile(path, largest: longest), as: UTF8.self)
  }
}

public struct CertificateDates {
  /// False if others refuse it now.
  public let isValid: Bool
  /// What is wrong, or will be within 30 days, and what to do; nil for nothing.
  public let complaint: Fault?

  /// In seconds: how long before its end the owner is reminded.
  private static let notice = 30 * 86_400
  private static let renewal = "renew it, then 'sudo systemctl restart clocksmith-relay'"

  /// - Throws: `Fault` if it is none in PEM form.
  public init(_ path: String) throws(Fault) {
    let context = SSL_CTX_new(TLS_client_method())
    defer { SSL_CTX_free(context) }
    guard SSL_CTX_use_certificate_chain_file(context, path) == 1,
      let certificate = SSL_CTX_get0_certificate(context)
    else { throw Fault(path, "it is no certificate in PEM form (\(TLSContext.reason))") }
    let (begins, ends) = (X509_get0_notBefore(certificate), X509_get0_notAfter(certificate))
    var soon = time(nil) + Self.notice
    isValid = X509_cmp_current_time(begins) < 0 && X509_cmp_current_time(ends) > 0
    if X509_cmp_current_time(begins) > 0 {
      complaint = Fault(
        path,
        "this certificate is not valid before \(Self.day(begins)); if that has passed, set the "
          + "clock of this machine")
    } else if !isValid {
      complaint = Fault(path, "this certificate expired on \(Self.day(ends)); \(Self.renewal)")
    } else if X509_cmp_time(ends, &soon) < 0 {
      complaint = Fault(
        path, "this certificate expires on \(Self.day(ends)); before that, \(Self.renewal)")
    } else {
      complaint = nil
    }
  }

  /// As in `2026-11-22`.
  private static func day(_ time: UnsafePointer<ASN1_TIME>?) -> Substring {
    var date = tm()
    ASN1_TIME_to_tm(time, &date)
    return Instant(microseconds: Int64(timegm(&date)) * 1_000_000).rfc3339.prefix(10)
  }
}
