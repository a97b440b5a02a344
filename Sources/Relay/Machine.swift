import CSystemd

/// The machine that the relay runs on.
enum Machine {
  /// The application ID for sd_id128_get_machine_app_specific(3), made with `systemd-id128 new`.
  private static let program = sd_id128_t(
    bytes: (
      0xb1, 0x7f, 0x05, 0xab, 0x94, 0x67, 0x42, 0xa2, 0x83, 0x98, 0xd4, 0x3f, 0x6e, 0x54, 0xc0, 0x8b
    ))

  /// Eight hexadecimal digits that identify the machine without revealing /etc/machine-id. Empty if
  /// the machine has no ID.
  static var id: String {
    var id = sd_id128_t()
    guard sd_id128_get_machine_app_specific(program, &id) >= 0 else { return "" }
    let bytes = withUnsafeBytes(of: id) { Array($0.prefix(4)) }
    return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
