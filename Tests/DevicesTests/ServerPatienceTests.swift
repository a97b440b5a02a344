import Basics
import CALSA
import Glibc
import Testing

@testable import Devices

@Suite struct ServerPatienceTests {
  @Test("an alarm that comes when the call is over hangs up on nobody")
  func lateAlarm() throws {
    var alarm = sigset_t()
    sigemptyset(&alarm)
    sigaddset(&alarm, SIGALRM)
    var before = sigset_t()
    pthread_sigmask(SIG_UNBLOCK, &alarm, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

    let device = PCMDevice(name: "null", direction: .speaker)
    var patience = ServerPatience()
    var ends: [Int32] = [-1, -1]
    func release(_ pcm: OpaquePointer) { snd_pcm_close(pcm) }
    let (pcm, code) = try patience.opening(device, release: release) { _ throws(Fault) in
      socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
    }
    defer { release(pcm) }
    try #require(code == 0)
    defer { for end in ends { close(end) } }
    raise(SIGALRM)
    #expect(send(ends[0], "x", 1, Int32(MSG_NOSIGNAL)) == 1)
    try patience.calling(device) { () throws(Fault) in }
    raise(SIGALRM)
    #expect(send(ends[0], "x", 1, Int32(MSG_NOSIGNAL)) == 1)
  }
}
