import Basics
import COpenSSL
@preconcurrency import Glibc
import Horology

/// The identity of the clock for apps: a certificate, with those that vouch for it, and its key.
public struct TLSIdentity: Hashable {
  let certificate: String
  let key: String
  /// What is wrong with the dates of the certificate; nil if nothing is.
  let complaint: Fault?

  init(certificate: String, key: String) throws(Fault) {
    self.certificate = String(decoding: try readRegularFile(certificate), as: UTF8.self)
    self.key = String(decoding: try readRegularFile(key), as: UTF8.self)
    guard let context = SSL_CTX_new(TLS_server_method()) else {
      throw Fault("cannot use TLS", TLSContext.reason)
    }
    defer { SSL_CTX_free(context) }
    try TLSContext.show(certificate, key, in: context)
    complaint = try Self.complaint(of: certificate)
  }

  /// What is wrong with the dates of a certificate, and what to do; nil if it is valid now and for
  /// 20 days more.
  public static func complaint(of path: String) throws(Fault) -> Fault? {
    let context = SSL_CTX_new(TLS_client_method())
    defer { SSL_CTX_free(context) }
    guard SSL_CTX_use_certificate_chain_file(context, path) == 1,
      let certificate = SSL_CTX_get0_certificate(context)
    else { throw Fault(path, "it is no certificate in PEM form (\(TLSContext.reason))") }
    let (begins, ends) = (X509_get0_notBefore(certificate), X509_get0_notAfter(certificate))
    guard X509_cmp_current_time(begins) < 0, X509_cmp_current_time(ends) > 0 else {
      return Fault(
        path,
        "this certificate is valid only from \(day(begins)) to \(day(ends)), so it is refused; renew "
          + "it, or set the clock of this machine")
    }
    var soon = time(nil) + 20 * 86_400
    if X509_cmp_time(ends, &soon) > 0 { return nil }
    return Fault(path, "this certificate ends on \(day(ends)); renew it before")
  }

  private static func day(_ time: UnsafePointer<ASN1_TIME>?) -> Substring {
    var date = tm()
    ASN1_TIME_to_tm(time, &date)
    return Instant(microseconds: Int64(timegm(&date)) * 1_000_000).rfc3339.prefix(10)
  }
}
