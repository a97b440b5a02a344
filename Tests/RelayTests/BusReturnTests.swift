import Testing

@testable import Relay

@Suite struct BusReturnTests {
  private var clock = BusReturn()

  @Test("a clock that leaves a bus that stays is not expected back") mutating func ended() {
    #expect(clock.clockIsMissing(at: .seconds(1)) == nil)
    #expect(!clock.isExpected)
  }

  @Test("the clock has its time from when the bus is back, however long that takes")
  mutating func away() {
    clock.busIsLost()
    clock.busIsLost()
    #expect(clock.isExpected)
    #expect(clock.clockIsMissing(at: .seconds(1000)) == BusReturn.limit)
    #expect(clock.isExpected)
  }

  @Test("asking again does not give it more time") mutating func once() {
    clock.busIsLost()
    _ = clock.clockIsMissing(at: .seconds(1000))
    #expect(clock.clockIsMissing(at: .seconds(1030)) == BusReturn.limit - .seconds(30))
    #expect(clock.clockIsMissing(at: .seconds(1000) + BusReturn.limit) == nil)
    #expect(!clock.isExpected)
  }

  @Test("after an answer it is not expected, until the bus is lost again") mutating func answered()
  {
    clock.busIsLost()
    clock.clockAnswers()
    #expect(clock.clockIsMissing(at: .seconds(1)) == nil)
    clock.busIsLost()
    #expect(clock.clockIsMissing(at: .seconds(2)) == BusReturn.limit)
  }

  @Test("it is expected for as long as the clock may wait between two tries") func enough() {
    // Its longest pause, the bus's patience, and what its timers may be late.
    #expect(BusReturn.limit >= .seconds(60 + 5 + 4))
    #expect(BusReturn.limit <= .seconds(120))
  }
}
