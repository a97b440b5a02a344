import Testing

@testable import Relay

@Suite struct LogBudgetTests {
  /// How many entries the budget lets through if one comes at each of `seconds`.
  private func told(_ budget: inout LogBudget, at seconds: [Int]) -> Int {
    var count = 0
    for second in seconds where budget.spend(at: .seconds(second)) != nil { count += 1 }
    return count
  }

  @Test("a few are told at once, then one every ten seconds, with how many were not")
  func flood() {
    var budget = LogBudget()
    #expect(told(&budget, at: (0..<1000).map { _ in 5 }) == 30)
    let next = budget.spend(at: .seconds(14))
    let later = budget.spend(at: .seconds(15))
    #expect(next == nil && later == 971)
    let more = budget.spend(at: .seconds(15))
    let hour = budget.spend(at: .seconds(3615))
    #expect(more == nil && hour == 1)
    #expect(told(&budget, at: (0..<1000).map { _ in 3615 }) == 29)
  }

  @Test("parts of ten seconds add up") func slowly() {
    var budget = LogBudget()
    for _ in 0..<30 { _ = budget.spend(at: .zero) }
    #expect(told(&budget, at: Array(1...40)) == 4)
  }
}
