/// Limits the requests of each address: those of a minute at once, and then as many a minute.
struct RequestBudgets {
  /// Limit of known addresses. Beyond it, the one that was silent for longest is forgotten.
  static let most = 1024

  private struct Budget {
    var left: Double
    var since: Duration
  }

  private let perMinute: Double
  private var budgets: [String: Budget] = [:]

  init(perMinute: Int) { self.perMinute = Double(perMinute) }

  /// - Parameter uptime: the time of a clock that is never set.
  /// - Returns: nil if the request is allowed; else the seconds until the next one is.
  mutating func spend(_ address: String, at uptime: Duration) -> Int? {
    var budget = budgets[address] ?? Budget(left: perMinute, since: uptime)
    let minutes = (uptime - budget.since) / .seconds(60)
    budget.left = min(budget.left + max(minutes, 0) * perMinute, perMinute)
    budget.since = uptime
    let isAllowed = budget.left >= 1
    if isAllowed { budget.left -= 1 }
    if budgets[address] == nil, budgets.count >= Self.most,
      let oldest = budgets.min(by: { $0.value.since < $1.value.since })
    {
      budgets[oldest.key] = nil
    }
    budgets[address] = budget
    return isAllowed ? nil : max(Int(((1 - budget.left) * 60 / perMinute).rounded(.up)), 1)
  }
}
