import Foundation
import TestSupport
import Testing

@testable import Service

@Suite struct HiddenFoldersTests {
  private static let home = "/home"
  private static let root = "/root"

  private func hidden(_ text: String) throws -> [String] {
    let folder = TemporaryFolder()
    try folder.write("test.conf", text)
    return try Configuration.load(path: "\(folder.path)/test.conf").hiddenFromService
  }

  @Test(
    "the folders that the unit hides are known",
    arguments: [
      ("\(home)/me/mine", home), (root, root), ("/run/user/1000/mine", "/run/user"),
      ("/tmp/mine", "/tmp"), ("/var/tmp/mine", "/var/tmp"), ("/usr/local/share/mine", nil),
      ("/homes/mine", nil), ("heart", nil),
    ] as [(String, String?)])
  func known(path: String, folder: String?) {
    #expect(HiddenFolders.holding(path) == folder)
  }

  @Test("a voice and a tune that the service cannot read are told, with what to do")
  func told() throws {
    let told = try hidden(
      """
      [announce]
      voice = \(Self.home)/me/mine
      [alarm school]
      time = 07:00
      tune = \(Self.root)/mine.tune
      """)
    #expect(told.count == 2)
    let why = "the service cannot read anything in"
    let remedy = "copy it into /usr/local/share, say, and set that path"
    let voice = "voice = \(Self.home)/me/mine: \(why) \(Self.home); \(remedy)"
    let tune = "tune = \(Self.root)/mine.tune: \(why) \(Self.root); \(remedy)"
    #expect(told.first?.hasSuffix(":2: \(voice)") == true)
    #expect(told.last == "[alarm school]: \(tune)")
  }

  @Test("the unit hides these folders") func unit() throws {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../systemd/clocksmith.service")
    let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
    #expect(lines.contains("ProtectHome=yes"))
    #expect(lines.contains("PrivateTmp=yes"))
  }
}
