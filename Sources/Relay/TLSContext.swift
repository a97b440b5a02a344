import Basics
import COpenSSL
@preconcurrency import Glibc

/// TLS by OpenSSL: certificates, keys, and what is wrong with them.
enum TLSContext {
  /// What is wrong with the other side's certificate, in the words of OpenSSL; nil if nothing is.
  /// - Parameter connection: an `SSL`.
  static func complaint(of connection: UnsafeMutableRawPointer?) -> String? {
    guard let connection else { return nil }
    let code = SSL_get_verify_result(OpaquePointer(connection))
    return code == X509_V_OK ? nil : String(cString: X509_verify_cert_error_string(code))
  }

  static func isShakingHands(_ connection: UnsafeMutableRawPointer?) -> Bool {
    connection.map { SSL_is_init_finished(OpaquePointer($0)) == 0 } ?? false
  }

  static func free(_ context: OpaquePointer) { SSL_CTX_free(context) }

  /// An `SSL_CTX` for libmosquitto, which would check the certificate against the address to which
  /// it connects, not against the name.
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
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    // libmosquitto asks for the address (SNI). Ask for the name before the first byte is sent; for
    // an address, which SNI does not allow, there is none.
    SSL_CTX_set_info_callback(context) { connection, event, _ in
      guard event & SSL_CB_HANDSHAKE_START != 0, let connection else { return }
      _ = SSL_ctrl(
        connection, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name),
        X509_VERIFY_PARAM_get0_host(SSL_get0_param(connection), 0))
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
