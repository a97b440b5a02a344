import Basics

/// The CRC-32 of IEEE 802.3, which tells whole texts from torn ones. It detects any damage of up to
/// 32 bits in a row, and all but one in four thousand million of any other damage.
enum CRC32 {
  static func of(_ text: some StringProtocol) -> UInt32 {
    var rest = UInt32.max
    for byte in text.utf8 {
      rest ^= UInt32(byte)
      for _ in 0..<8 { rest = rest >> 1 ^ (rest & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    return ~rest
  }
}
