import Glibc
import Testing

@testable import Daemon

@Suite struct DatagramSocketTests {
  @Test("a path that is too long leaves no descriptor open") func longPath() {
    func descriptors() -> Int { (0..<1024).count { fcntl(Int32($0), F_GETFD) >= 0 } }
    let before = descriptors()
    for _ in 0..<200 { #expect(DatagramSocket(path: String(repeating: "a", count: 200)) == nil) }
    // Other tests open files meanwhile, but not that many.
    #expect(descriptors() - before < 100)
  }
}
