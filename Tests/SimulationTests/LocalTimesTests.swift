import Simulation
import TestSupport
import Testing

extension SimulationTests {
  /// `clocksmith-simulate` looks at each zone that it simulates.
  @Test(
    "an alarm for any time rings when glibc's clocks show that time",
    .rule("alarm-skipped", "alarm-repeated"),
    arguments: ["Europe/London", "Australia/Lord_Howe", "America/Nuuk", "Africa/Casablanca"])
  func localTimes(zone: String) throws {
    // 2027.
    #expect(try LocalTimes.flaw(in: zone, over: 1_798_761_600..<1_830_297_600) == nil)
  }
}
