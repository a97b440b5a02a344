import Basics
@preconcurrency import Glibc

/// The zones of the tz database.
enum ZoneNames {
  private static let source = "/usr/share/zoneinfo/tzdata.zi"

  /// The name of every zone, without its aliases.
  static func all() throws(Fault) -> [String] {
    let descriptor = try openRegularFile(source, largest: 1 << 20)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = try retryingInterrupts("cannot read \(source)") {
      read(descriptor, &bytes, bytes.count)
    }
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    // zic(8): a zone begins as `Z Africa/Abidjan -0:16:8 - LMT 1912`.
    let names = text.split(separator: "\n").filter { $0.hasPrefix("Z ") }.map {
      String($0.dropFirst(2).prefix { $0 != " " })
    }
    guard !names.isEmpty else { throw Fault(source, "it names no zone") }
    return names.sorted()
  }
}
