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
        #expect(flaw == .countsLeapSeconds(27), "\(name)")
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

  @Test("a file with a page of zeros in it, as a power cut leaves it, is refused")
  func zeroed() throws {
    let whole = try bytes("America/New_York")
    for start in stride(from: 0, to: whole.count, by: 512) {
      var torn = whole
      for index in start..<min(start + 512, whole.count) { torn[index] = 0 }
      // The block before the second header is for programs that only read 32-bit times.
      let matters = start + 512 > 1500 || start == 0
      #expect(ZoneFile.flaw(in: torn) != nil || !matters, "from \(start)")
    }
  }

  @Test("bytes at random are judged without harm") func random() throws {
    let whole = try bytes("Australia/Lord_Howe")
    var numbers = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      var torn = whole
      for _ in 0..<Int.random(in: 1...20, using: &numbers) {
        torn[Int.random(in: 0..<torn.count, using: &numbers)] = UInt8.random(
          in: 0...255, using: &numbers)
      }
      _ = ZoneFile.flaw(in: torn)
    }
  }
}
