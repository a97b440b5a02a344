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

  @Test("an older service lacks what became of the state, and no other property")
  func older() throws {
    let configuration = Configuration()
    let now = SystemClock.now
    var told = Status(
      configuration, try configuration.composer(),
      Announcer(
        settings: configuration.announcer, zone: SystemZone.universal, trust: .synchronised,
        at: now),
      clock: ClockState(basis: .disciplined, uncertainty: nil))
    told.stateError = "no room"
    told.stateLoss = "torn"
    var properties = told.properties
    #expect(try #require(Status(properties: properties)).stateError == "no room")
    #expect(try #require(Status(properties: properties)).stateLoss == "torn")
    for name in ["StateError", "StateLoss"] { properties[name] = nil }
    let read = try #require(Status(properties: properties))
    #expect(read.stateError == "" && read.stateLoss == "")
    for name in properties.keys {
      var fewer = properties
      fewer[name] = nil
      #expect(Status(properties: fewer) == nil, "\(name)")
    }
  }

  @Test("what is only prepared is told as what comes next, and what is heard as sounding")
  func prepared() throws {
    let configuration = Configuration()
    let composer = try configuration.composer()
    let quarter = Instant(seconds: 1_795_275_000)
    var now = Now(
      instant: quarter - .seconds(60), uptime: Uptime(seconds: 100), sinceBoot: .seconds(100))
    var announcer = Announcer(
      settings: configuration.announcer, zone: SystemZone.universal, trust: .synchronised, at: now)
    var status: Status {
      Status(
        configuration, composer, announcer,
        clock: ClockState(basis: .disciplined, uncertainty: nil))
    }
    now = now.later(by: .seconds(56))
    _ = announcer.handle(.woke, at: now)
    #expect(announcer.playing != nil)
    #expect(status.playing == "")
    #expect(status.next.instant == quarter)
    let text = status.next.text
    now = now.later(by: .seconds(4))
    _ = announcer.handle(.woke, at: now)
    #expect(status.playing == text)
    #expect(status.next.instant == quarter + .seconds(15 * 60))
  }
}
