import Foundation
import Testing

@testable import Devices

@Suite struct ZoneFileTests {
  private static let database = "/usr/share/zoneinfo"

  private func bytes(_ name: String) throws -> [UInt8] {
    try Array(Data(contentsOf: URL(fileURLWithPath: "\(Self.database)/\(name)")))
  }

  @Test("every zone of the database is sound, but for those that count leap seconds")
  func database() throws {
    let files = FileManager.default.enumerator(atPath: Self.database)!
    var sound = 0
    for case let name as String in files {
      let path = "\(Self.database)/\(name)"
      guard let data = FileManager.default.contents(atPath: path),
        data.starts(with: Array("TZif".utf8))
      else { continue }
      let flaw = ZoneFile.flaw(of: path)
      if name.hasPrefix("right/") {
        #expect(flaw == .noZoneFile, "\(name)")
      } else {
        #expect(flaw == nil, "\(name)")
        sound += 1
      }
    }
    #expect(sound > 300)
  }

  @Test(
    "a file that is torn at any byte is refused",
    arguments: ["America/New_York", "UTC", "Asia/Kathmandu"])
  func torn(name: String) throws {
    let whole = try bytes(name)
    #expect(ZoneFile.flaw(in: whole) == nil)
    let accepted = (0..<whole.count).filter { ZoneFile.flaw(in: Array(whole[..<$0])) == nil }
    #expect(accepted == [])
  }
}
