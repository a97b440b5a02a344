import Glibc
import TestSupport
import Testing

@testable import Daemon

@Suite struct EventLoopTests {
  private let folder = TemporaryFolder()

  @Test("a watched file that is moved away is noticed") func movedAway() throws {
    try folder.write("zone", "Europe/London")
    let path = folder.path + "/zone"
    let loop = try EventLoop()
    var isNoticed = false
    let watch = try loop.whenReplaced(path) {
      isNoticed = true
      loop.exit()
    }
    let patience = try loop.after(.seconds(5)) { loop.exit() }
    #expect(rename(path, path + ".old") == 0)
    try withExtendedLifetime((watch, patience)) { try loop.run() }
    #expect(isNoticed)
  }
}
