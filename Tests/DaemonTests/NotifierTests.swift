import Glibc
import TestSupport
import Testing

@testable import Daemon

@Suite struct NotifierTests {
  private let folder = TemporaryFolder()

  /// The socket of a service manager that has not read yet.
  private func manager(_ path: String) -> Int32 {
    let descriptor = socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    }
    #expect(code == 0)
    return descriptor
  }

  /// The first line of each message that was sent to the manager.
  private func read(_ manager: Int32) -> [String] {
    var messages: [String] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = recv(manager, &buffer, buffer.count, 0), count >= 0 {
      let text = String(decoding: buffer[..<count], as: UTF8.self)
      messages.append(String(text.split(separator: "\n").first ?? ""))
    }
    return messages
  }

  @Test("a status that came after another with READY=1 is sent again")
  func statusAfterReady() throws {
    let path = folder.path + "/notify"
    let manager = manager(path)
    defer { close(manager) }
    let notifier = Notifier(path: path)
    notifier.status("well")
    notifier.ready("starting")
    notifier.status("well")
    #expect(read(manager) == ["STATUS=well", "READY=1", "STATUS=well"])
  }

  @Test("what a manager that reads late must know reaches it, all of it and in its order")
  func lateManager() throws {
    let path = folder.path + "/notify"
    let manager = manager(path)
    defer { close(manager) }
    let other = try #require(DatagramSocket(path: path))
    while other.send([0]) {}
    let notifier = Notifier(path: path)
    notifier.reloading()
    notifier.ready("well")
    notifier.stopping()
    notifier.needs(.seconds(1))
    _ = read(manager)
    notifier.isAlive()
    #expect(
      read(manager) == [
        "RELOADING=1", "READY=1", "STOPPING=1", "EXTEND_TIMEOUT_USEC=1000000", "WATCHDOG=1",
      ])
  }
}
