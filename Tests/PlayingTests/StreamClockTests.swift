import Devices
import Horology
import Service
import Testing

@testable import Playing

@Suite struct StreamClockTests {
  /// Readings every 20 ms of a converter that runs `deviation` parts per million fast. Each is off
  /// by up to 2 ms.
  private func clock(deviation: Double, seconds: Double) -> StreamClock {
    var clock = StreamClock(rate: 48_000)
    for step in 0..<Int(seconds * 50) {
      let time = Double(step) * 0.02
      let jitter = Double((step * 7) % 11 - 5) / 5 * 96
      clock.add(position(time, time * 48_000 * (1 + deviation / 1e6) + jitter))
    }
    return clock
  }

  private func position(_ seconds: Double, _ frame: Double) -> StreamPosition {
    StreamPosition(uptime: Uptime(seconds: 1000) + .seconds(seconds), frame: frame)
  }

  @Test("a converter that runs fast is followed", arguments: [-200.0, 0, 50, 200])
  func fastConverterIsFollowed(deviation: Double) throws {
    let clock = clock(deviation: deviation, seconds: 3)
    let target = Uptime(seconds: 1000) + .milliseconds(3_200)
    let frame = try #require(clock.frame(at: target))
    // 4.8 frames are a tenth of a millisecond.
    #expect(abs(frame - 3.2 * 48_000 * (1 + deviation / 1e6)) < 4.8)
    let back = try #require(clock.uptime(ofFrame: frame))
    #expect((back - target).magnitude < .microseconds(1))
  }

  @Test("a stream that begins anew is believed at once") func streamThatBeginsAnew() throws {
    var clock = clock(deviation: 0, seconds: 1)
    clock.add(position(2, 12_000))
    #expect(clock.frame(at: Uptime(seconds: 1002)) == 12_000)
  }

  @Test("a few coarse readings are not taken for a wrong rate") func coarseReadings() throws {
    var clock = StreamClock(rate: 48_000)
    // Each reading is late by the milliseconds that a plugin keeps back. By their slope the
    // converter would be some percent slow.
    for (step, late) in [0, 0, 1, 2, 2, 5, 4, 6, 8, 8, 7, 9, 10, 10].enumerated() {
      let time = Double(step) * 0.02
      clock.add(position(time, time * 48_000 - Double(late) * 48))
    }
    let frame = try #require(clock.frame(at: Uptime(seconds: 1001)))
    #expect(abs(frame - 48_000) < 15 * 48, "within 15 ms, most of a second later")
  }

  @Test("before the first reading nothing is known") func nothingIsKnown() {
    let clock = StreamClock(rate: 48_000)
    #expect(clock.frame(at: Uptime(seconds: 1)) == nil)
    #expect(clock.uptime(ofFrame: 1) == nil)
  }
}
