import Testing

@testable import Relay

@Suite struct BackOffTests {
  @Test("each wait is about twice the last, up to a minute") func doubles() {
    var backOff = BackOff(seed: 1)
    let waits = (0..<10).map { _ in backOff.wait() }
    for (wait, middle) in zip(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60, 60]) {
      #expect(wait >= .seconds(middle) * 3 / 4 && wait <= .seconds(middle) * 5 / 4)
    }
    backOff.reset()
    #expect(backOff.wait() < .seconds(2))
  }
}
