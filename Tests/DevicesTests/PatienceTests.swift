import CClocksmith
import Glibc
import Testing

/// The time limit for sound servers is one for the whole process, so these take turns.
@Suite(.serialized) struct PatienceTests {
  /// Two connected sockets; closed at the end.
  private final class Connection {
    var ends: (Int32, Int32) = (-1, -1)

    init() {
      withUnsafeMutableBytes(of: &ends) { ends in
        _ = socketpair(
          AF_UNIX, Int32(SOCK_STREAM.rawValue), 0,
          ends.assumingMemoryBound(to: Int32.self).baseAddress)
      }
    }

    deinit {
      close(ends.0)
      close(ends.1)
    }

    /// True if somebody hangs up within this many milliseconds.
    func isEnded(within milliseconds: Int32 = 0) -> Bool {
      var waited = pollfd(fd: ends.0, events: Int16(POLLIN), revents: 0)
      while poll(&waited, 1, milliseconds) < 0 && errno == EINTR {}
      return waited.revents & Int16(POLLHUP) != 0
    }
  }

  @Test("what hangs later hangs up on the speaker alone, not on a bus that came since")
  func busThatCameSince() {
    let before = Connection()
    clocksmith_patience_begin(60_000, true)
    let speaker = Connection()
    #expect(!clocksmith_patience_end())
    let bus = Connection()
    clocksmith_patience_begin(20, false)
    #expect(speaker.isEnded(within: 10_000))
    #expect(clocksmith_patience_end())
    #expect(!bus.isEnded() && !before.isEnded())
  }

  @Test("an opening that hangs hangs up on what it has opened itself") func opening() {
    let bus = Connection()
    clocksmith_patience_begin(20, true)
    let server = Connection()
    #expect(server.isEnded(within: 10_000))
    #expect(clocksmith_patience_end())
    #expect(!bus.isEnded())
  }
}
