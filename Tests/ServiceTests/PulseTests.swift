import Testing

@testable import Service

@Suite struct PulseTests {
  @Test("without a watchdog the service is looked after once a minute") func withoutWatchdog() {
    #expect(Pulse.interval(allowed: nil) == .seconds(60))
  }

  @Test("with one, twice in the time that is allowed") func withWatchdog() {
    #expect(Pulse.interval(allowed: .seconds(120)) == .seconds(60))
    #expect(Pulse.interval(allowed: .seconds(20)) == .seconds(10))
  }

  @Test("and never less often than once a minute") func longWatchdog() {
    #expect(Pulse.interval(allowed: .seconds(86_400)) == .seconds(60))
  }
}
