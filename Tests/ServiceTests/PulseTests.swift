import Testing

@testable import Service

@Suite struct PulseTests {
  @Test(
    "the service is looked after twice in the time that a watchdog allows, and once a minute at least",
    arguments: [(nil, 60), (20, 10), (120, 60), (86_400, 60)] as [(Int?, Int)])
  func interval(allowed: Int?, seconds: Int) {
    #expect(Pulse.interval(allowed: allowed.map { .seconds($0) }) == .seconds(seconds))
  }
}
