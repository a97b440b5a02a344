import Basics
import COpenSSL
@preconcurrency import Glibc

/// Checks the identity of a broker: an `SSL_CTX` for libmosquitto.
///
/// libmosquitto would check the certificate against the address to which it connects. It gets an
/// address, not the name, because it would look a name up in the thread that runs everything else.
final class TLSContext {
  let pointer: OpaquePointer
  /// The name to ask for (SNI); nil for an address, which SNI does not allow.
  private let serverName: String?
  /// What was wrong with the broker's certificate, in the words of OpenSSL; nil if nothing was.
  private(set) var complaint: String?

  /// - Throws: `Fault` if a file cannot be read or has the wrong contents.
  init(_ settings: RelayConfiguration.Broker) throws(Fault) {
    pointer = try Self.loaded(settings.authorities, settings.certificate, settings.key)
    // What follows a percent sign is the interface. OpenSSL takes only whole addresses: "10.1", an
    // address for getaddrinfo(3), is a name to it.
    let isAddress =
      X509_VERIFY_PARAM_set1_ip_asc(
        SSL_CTX_get0_param(pointer), String(settings.host.prefix { $0 != "%" })) == 1
    serverName = isAddress ? nil : settings.host
    SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
    if !isAddress { try expect(settings.host) }
    SSL_CTX_set_ex_data(pointer, 0, Unmanaged.passUnretained(self).toOpaque())
    SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER) { isFine, store in
      if isFine == 0 { TLSContext.keepComplaint(of: store) }
      return isFine
    }
    // libmosquitto sets the address as SNI. Replace it with the name before the first byte is sent.
    SSL_CTX_set_info_callback(pointer) { connection, event, _ in
      guard event & SSL_CB_HANDSHAKE_START != 0, let connection else { return }
      let name = TLSContext.of(SSL_get_SSL_CTX(connection))?.serverName.map { strdup($0) }
      _ = SSL_ctrl(
        connection, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), name ?? nil)
      free(name ?? nil)
    }
  }

  deinit {
    SSL_CTX_set_ex_data(pointer, 0, nil)
    SSL_CTX_free(pointer)
  }

  /// Loads the files of a client as a connection does.
  /// - Throws: `Fault` if one cannot be read or used, or the key is that of another certificate.
  static func check(
    authorities: String, certificate: String? = nil, key: String? = nil
  ) throws(Fault) {
    SSL_CTX_free(try loaded(authorities, certificate, key))
  }

  /// - Returns: a context that the caller frees.
  private static func loaded(
    _ authorities: String, _ certificate: String?, _ key: String?
  ) throws(Fault) -> OpaquePointer {
    for path in [authorities, certificate, key].compactMap({ $0 }) { try checkReadable(path) }
    guard let context = SSL_CTX_new(TLS_client_method()) else {
      throw Fault("cannot use TLS", reason)
    }
    do throws(Fault) {
      try trust(authorities, in: context)
      if let certificate, let key { try show(certificate, key, in: context) }
    } catch {
      SSL_CTX_free(context)
      throw error
    }
    return context
  }

  private static func trust(
    _ authorities: String, in context: OpaquePointer
  ) throws(Fault) {
    let isFolder = isSpecialFile(authorities)
    let code =
      isFolder
      ? SSL_CTX_load_verify_dir(context, authorities)
      : SSL_CTX_load_verify_file(context, authorities)
    guard code == 1 else {
      throw Fault(authorities, "it holds no certificate that can be read (\(reason))")
    }
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

  private func expect(_ host: String) throws(Fault) {
    let rules = SSL_CTX_get0_param(pointer)
    X509_VERIFY_PARAM_set_hostflags(rules, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    guard X509_VERIFY_PARAM_set1_host(rules, host, 0) == 1 else {
      throw Fault("cannot check a certificate for \(host)", Self.reason)
    }
  }

  private static func of(_ context: OpaquePointer?) -> TLSContext? {
    context.flatMap { SSL_CTX_get_ex_data($0, 0) }
      .map { Unmanaged<TLSContext>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func keepComplaint(of store: OpaquePointer?) {
    guard let store,
      let connection = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
      let context = of(SSL_get_SSL_CTX(OpaquePointer(connection)))
    else { return }
    let code = X509_STORE_CTX_get_error(store)
    context.complaint = String(cString: X509_verify_cert_error_string(Int(code)))
  }

  static var reason: String {
    let code = ERR_peek_last_error()
    ERR_clear_error()
    return ERR_reason_error_string(code).map { String(cString: $0) } ?? "no reason is given"
  }
}
