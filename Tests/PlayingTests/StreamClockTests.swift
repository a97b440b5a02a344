import Horology
import Service
import Testing

@testable import Devices
@testable import Playing

@Suite struct StreamClockTests {
  private func position(_ seconds: Double, _ frame: Double) -> StreamPosition {
    StreamPosition(uptime: Uptime(seconds: 1000) + .seconds(seconds), frame: frame)
  }

  @Test("a stream that begins anew is believed at once") func streamThatBeginsAnew() throws {
    var clock = StreamClock(rate: 48_000)
    for step in 0..<50 { clock.add(position(Double(step) * 0.02, Double(step) * 960)) }
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
}
