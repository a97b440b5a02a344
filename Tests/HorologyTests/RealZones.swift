import Foundation
import Horology

/// A zone of the tz database, read from its file without glibc.
struct RealZone: Sendable {
  let name: String
  /// Seconds since 1970 at which the offset changes, and the offset from then on.
  let changes: [(at: Int64, offset: Int)]
  private let first: Int

  static let folder = "/usr/share/zoneinfo"
  static let areThere = FileManager.default.fileExists(atPath: "\(folder)/Pacific/Apia")

  /// Every zone with rules of its own: files with the same bytes are taken once.
  static let all: [RealZone] = {
    let names = (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? [])
      .filter { !$0.hasPrefix("right/") && !$0.hasPrefix("posix/") }.sorted()
    var seen: Set<Data> = []
    return names.compactMap { name in
      guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)"),
        data.starts(with: Array("TZif2".utf8)), seen.insert(data).inserted
      else { return nil }
      return RealZone(name: name, Array(data))
    }
  }()

  init?(named name: String) {
    guard let data = FileManager.default.contents(atPath: "\(Self.folder)/\(name)") else {
      return nil
    }
    self.init(name: name, Array(data))
  }

  /// RFC 9636: a block of 32-bit times, which is skipped, and one of 64-bit times.
  private init(name: String, _ bytes: [UInt8]) {
    func integer(_ place: Int, _ size: Int) -> Int64 {
      let raw = bytes[place..<(place + size)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return size == 4 ? Int64(Int32(truncatingIfNeeded: raw)) : Int64(bitPattern: raw)
    }
    func counts(_ start: Int) -> [Int] { (0..<6).map { Int(integer(start + 20 + $0 * 4, 4)) } }
    let old = counts(0)
    let start = 44 + old[3] * 5 + old[4] * 6 + old[5] + old[2] * 8 + old[1] + old[0]
    let times = counts(start)[3]
    let types = start + 44 + times * 9
    func offset(_ type: Int) -> Int { Int(integer(types + type * 6, 4)) }
    self.name = name
    first = offset(0)
    changes = (0..<times).map { index in
      let at = integer(start + 44 + index * 8, 8)
      return (at, offset(Int(bytes[start + 44 + times * 8 + index])))
    }
  }

  func offset(at seconds: Int64) -> Int {
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].at <= seconds { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? first : changes[low - 1].offset
  }

  var zone: TestZone { TestZone { self.offset(at: $0) } }
}
