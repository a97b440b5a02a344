import Testing

@testable import Relay

@Suite struct ThrottleTests {
  /// How many events the throttle lets through if one comes at each of `seconds`.
  private func told(_ throttle: inout Throttle, at seconds: [Int]) -> Int {
    var count = 0
    for second in seconds where throttle.pass(at: .seconds(second)) != nil { count += 1 }
    return count
  }

  @Test("a few are told at once, then one every ten seconds, with how many were not")
  func flood() {
    var throttle = Throttle()
    #expect(told(&throttle, at: (0..<1000).map { _ in 5 }) == 30)
    let next = throttle.pass(at: .seconds(14))
    let later = throttle.pass(at: .seconds(15))
    #expect(next == nil && later == 971)
    let more = throttle.pass(at: .seconds(15))
    let hour = throttle.pass(at: .seconds(3615))
    #expect(more == nil && hour == 1)
    #expect(told(&throttle, at: (0..<1000).map { _ in 3615 }) == 29)
  }

  @Test("parts of ten seconds add up") func slowly() {
    var throttle = Throttle()
    for _ in 0..<30 { _ = throttle.pass(at: .zero) }
    #expect(told(&throttle, at: Array(1...40)) == 4)
  }
}
