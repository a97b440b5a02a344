import Basics
import COpenSSL
@preconcurrency import Glibc

/// TLS by OpenSSL: certificates, keys, and what is wrong with them.
enum TLSContext {
  /// What was wrong with the broker's certificate that was seen last (X509_V_OK: nothing).
  nonisolated(unsafe) private static var lastError: Int32 = 0

  /// The same in the words of OpenSSL; nil if nothing was.
  static var complaint: String? {
    lastError == 0 ? nil : String(cString: X509_verify_cert_error_string(Int(lastError)))
  }

  static func free(_ context: OpaquePointer) { SSL_CTX_free(context) }

  /// An `SSL_CTX` for libmosquitto, which would not say why it refuses a certificate.
  static func expecting(_ settings: RelayConfiguration.Broker) throws(Fault) -> OpaquePointer {
    let context = try loaded(settings.authorities, settings.certificate, settings.key)
    let rules = SSL_CTX_get0_param(context)
    X509_VERIFY_PARAM_set_hostflags(rules, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    // What follows a percent sign is the interface. OpenSSL takes only whole addresses: "10.1", an
    // address for getaddrinfo(3), is a name to it.
    if X509_VERIFY_PARAM_set1_ip_asc(rules, String(settings.host.prefix { $0 != "%" })) != 1 {
      X509_VERIFY_PARAM_set1_host(rules, settings.host, 0)
    }
    SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
    lastError = X509_V_OK
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER) { isFine, store in
      if isFine == 0 { TLSContext.lastError = X509_STORE_CTX_get_error(store) }
      return isFine
    }
    return context
  }

  /// - Throws: `Fault` if a file cannot be used, or the key is that of another certificate.
  static func check(
    authorities: String, certificate: String? = nil, key: String? = nil
  ) throws(Fault) {
    SSL_CTX_free(try loaded(authorities, certificate, key))
  }

  private static func loaded(
    _ authorities: String, _ certificate: String?, _ key: String?
  ) throws(Fault) -> OpaquePointer {
    for path in [authorities, certificate, key].compactMap({ $0 }) { try checkReadable(path) }
    guard let context = SSL_CTX_new(TLS_client_method()) else {
      throw Fault("cannot use TLS", reason)
    }
    do throws(Fault) {
      let code =
        isSpecialFile(authorities)
        ? SSL_CTX_load_verify_dir(context, authorities)
        : SSL_CTX_load_verify_file(context, authorities)
      guard code == 1 else {
        throw Fault(authorities, "it holds no certificate that can be read (\(reason))")
      }
      if let certificate, let key { try show(certificate, key, in: context) }
    } catch {
      SSL_CTX_free(context)
      throw error
    }
    return context
  }

  /// - Throws: `Fault` if one of them cannot be read, or they do not belong together.
  static func show(
    _ certificate: String, _ key: String, in context: OpaquePointer
  ) throws(Fault) {
    guard SSL_CTX_use_certificate_chain_file(context, certificate) == 1 else {
      throw Fault(certificate, "it is no certificate in PEM form (\(reason))")
    }
    // OpenSSL would ask a terminal for the password of a key, and wait.
    SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in 0 }
    // The first call compares the two only if they are of one kind, such as RSA.
    guard SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1,
      SSL_CTX_check_private_key(context) == 1
    else {
      throw Fault(
        key,
        "it is no key in PEM form without a password, or none for the certificate (\(reason))")
    }
  }

  static var reason: String {
    let code = ERR_peek_last_error()
    ERR_clear_error()
    return ERR_reason_error_string(code).map { String(cString: $0) } ?? "no reason is given"
  }
}
