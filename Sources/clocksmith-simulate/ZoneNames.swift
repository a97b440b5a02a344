import Basics

/// The zones of the tz database.
enum ZoneNames {
  private static let source = "/usr/share/zoneinfo/tzdata.zi"

  /// The name of every zone, without its aliases.
  static func all() throws(Fault) -> [String] {
    let text = String(decoding: try readRegularFile(source), as: UTF8.self)
    // zic(8): a zone begins as `Z Africa/Abidjan -0:16:8 - LMT 1912`.
    let names = text.split(separator: "\n").filter { $0.hasPrefix("Z ") }.map {
      String($0.dropFirst(2).prefix { $0 != " " })
    }
    guard !names.isEmpty else { throw Fault(source, "it names no zone") }
    return names.sorted()
  }
}
