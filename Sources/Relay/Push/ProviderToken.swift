import Basics
import CJWT
@preconcurrency import Glibc
import Horology

/// The token that identifies a provider to APNs: a JSON Web Token signed with ES256, by libjwt.
///
/// Apple takes one for an hour.
final class ProviderToken {
  private static let renewal = Duration.seconds(50 * 60)

  let key: [UInt8]
  private let keyID: String
  private let team: String
  private var made: (text: String, at: Instant)?

  /// - Parameters:
  ///   - key: of P-256, in PEM form as Apple hands it out (a `.p8`).
  ///   - keyID: ten characters, as Apple names the key.
  ///   - team: ten characters, as Apple names the owner.
  /// - Throws: `Fault` if the key cannot sign.
  init(key: String, keyID: String, team: String, at now: Instant) throws(Fault) {
    self.key = Array(key.utf8)
    self.keyID = keyID
    self.team = team
    made = (try sign(at: now), now)
  }

  private static func noKey(_ keyID: String) -> Fault {
    Fault(
      "cannot sign with the key \(keyID)",
      "it is no private key of P-256 in PEM form, as the .p8 that Apple hands out")
  }

  /// The token for a request. Makes a new one if the old one is due, or the clock was set back.
  func text(at now: Instant) throws(Fault) -> String {
    if let made, made.at <= now, now - made.at < Self.renewal { return made.text }
    let text = try sign(at: now)
    made = (text, now)
    return text
  }

  private func sign(at now: Instant) throws(Fault) -> String {
    var jwt: OpaquePointer?
    guard jwt_new(&jwt) == 0, let jwt else { throw Fault("libjwt", errno: ENOMEM) }
    defer { jwt_free(jwt) }
    jwt_add_header(jwt, "kid", keyID)
    jwt_add_grant(jwt, "iss", team)
    jwt_add_grant_int(jwt, "iat", Int(now.microseconds / 1_000_000))
    guard jwt_set_alg(jwt, JWT_ALG_ES256, key, Int32(key.count)) == 0,
      let text = jwt_encode_str(jwt)
    else { throw Self.noKey(keyID) }
    defer { free(text) }
    return String(cString: text)
  }
}
