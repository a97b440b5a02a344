import COpenSSL

/// The token that an app must know. Only its digest is kept.
struct AccessToken: Hashable {
  private let digest: [UInt8]

  /// Nil if the text is too short for a secret, or cannot stand in a header.
  init?(text: String) {
    guard (16...512).contains(text.utf8.count), text.utf8.allSatisfy({ $0 > 32 && $0 < 127 })
    else { return nil }
    digest = Self.digest(of: text)
  }

  /// Takes the same time for every text of the same length.
  func isSame(as text: String) -> Bool {
    let other = Self.digest(of: text)
    return CRYPTO_memcmp(digest, other, digest.count) == 0
  }

  /// SHA-256.
  private static func digest(of text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    EVP_Digest(bytes, bytes.count, &digest, &count, EVP_sha256(), nil)
    return Array(digest.prefix(Int(count)))
  }
}
