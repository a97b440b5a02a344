import Basics
import Foundation
import TestSupport
import Testing

@Suite struct NewFolderTests {
  @Test("what someone else makes meanwhile is told as being there", arguments: [true, false])
  func folderMadeMeanwhile(isFolder: Bool) throws {
    let folder = TemporaryFolder()
    let path = "\(folder.path)/made"
    let fault = faultThrown {
      try makeFolder(path) { _ throws(Fault) in
        if isFolder { mkdir(path, 0o777) }
        try! Data("x".utf8).write(to: URL(fileURLWithPath: isFolder ? "\(path)/mine" : path))
      }
    }
    #expect(fault?.detail == "it is there already; give another --output, or remove it")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["made"])
  }
}
