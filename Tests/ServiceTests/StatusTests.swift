import Devices
import Horology
import Sound
import Testing

@testable import Service

@Suite struct StatusTests {
  @Test(
    "what is told of a mute and of the switch is read as it was",
    arguments: [
      SoftwareMute.off, .next, .on, .until(Instant(seconds: 1_800_000_000)),
    ], [Ringer.absent, .on, .off, .lost("gone")])
  func muteAndSwitch(mute: SoftwareMute, ringer: Ringer) throws {
    let configuration = Configuration()
    let now = SystemClock.now
    let announcer = Announcer(
      settings: configuration.announcer, zone: SystemZone.universal, trust: .synchronised,
      ringer: ringer, mute: mute, at: now)
    let told = Status(
      configuration, try configuration.composer(), announcer,
      clock: ClockState(basis: .disciplined, uncertainty: nil))
    let read = try #require(Status(properties: told.properties))
    #expect(read == told)
    #expect(read.mute == mute)
  }
}
