import Basics
import COpenSSL
@preconcurrency import Glibc
import Horology

/// From when to when a certificate is valid.
public struct CertificateDates {
  /// How long before its end the owner is reminded.
  private static let notice = Duration.seconds(30 * 86_400)
  /// What makes the relay take a new certificate. The broker's is read at the start only.
  public enum Taking: String, Sendable { case reload, restart }

  private let path: String
  private let taking: Taking
  private let begins: Instant
  private let ends: Instant

  /// Reads the first certificate of a file.
  /// - Throws: `Fault` if it is none in PEM form.
  public init(path: String, taking: Taking = .reload) throws(Fault) {
    guard let context = SSL_CTX_new(TLS_client_method()) else {
      throw Fault("cannot use TLS", TLSContext.reason)
    }
    defer { SSL_CTX_free(context) }
    guard SSL_CTX_use_certificate_chain_file(context, path) == 1,
      let dates = CertificateDates(
        of: SSL_CTX_get0_certificate(context), path: path, taking: taking)
    else { throw Fault(path, "it is no certificate in PEM form (\(TLSContext.reason))") }
    self = dates
  }

  /// Nil if there is no certificate, or its dates cannot be read.
  init?(of certificate: OpaquePointer?, path: String, taking: Taking = .reload) {
    guard let certificate, let begins = Self.time(X509_get0_notBefore(certificate)),
      let ends = Self.time(X509_get0_notAfter(certificate))
    else { return nil }
    self.path = path
    self.taking = taking
    self.begins = begins
    self.ends = ends
  }

  private static func time(_ time: UnsafePointer<ASN1_TIME>?) -> Instant? {
    var date = tm()
    guard ASN1_TIME_to_tm(time, &date) == 1 else { return nil }
    // Some are valid until 9999.
    return Instant(microseconds: Int64(timegm(&date)) * 1_000_000)
  }

  private var renew: String {
    "renew it, then 'sudo systemctl \(taking.rawValue) clocksmith-relay'"
  }

  /// Why the other side will refuse the certificate, and what to do; nil if it is valid.
  public func complaint(at now: Instant) -> Fault? {
    if ends < now {
      return Fault(path, "this certificate expired on \(ends.date); \(renew)")
    }
    if now < begins {
      return Fault(
        path,
        "this certificate is not valid before \(begins.date); if that has passed, set the clock of "
          + "this machine")
    }
    return nil
  }

  /// What to do if the certificate ends soon; nil if it is valid for long, or not now.
  public func reminder(at now: Instant) -> String? {
    guard complaint(at: now) == nil, ends < now + Self.notice else { return nil }
    return "\(path) expires on \(ends.date); before that, \(renew)"
  }
}

extension Instant {
  /// As in `2026-11-22`.
  fileprivate var date: Substring { rfc3339.prefix(10) }
}
