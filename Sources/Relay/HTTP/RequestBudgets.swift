/// Limits the requests of each address: those of a minute at once, and then as many a minute.
struct RequestBudgets {
  /// Limit of known addresses. Beyond it, the one that was silent for longest is forgotten.
  static let most = 1024

  private let perMinute: Int
  private var budgets: [String: (bucket: TokenBucket, last: Duration)] = [:]

  init(perMinute: Int) { self.perMinute = perMinute }

  /// - Parameter uptime: the time of a clock that is never set.
  /// - Returns: nil if the request is allowed; else the seconds until the next one is.
  mutating func spend(_ address: String, at uptime: Duration) -> Int? {
    var bucket =
      budgets[address]?.bucket ?? TokenBucket(most: perMinute, perMinute: perMinute)
    let wait = bucket.take(at: uptime)
    if budgets[address] == nil, budgets.count >= Self.most,
      let oldest = budgets.min(by: { $0.value.last < $1.value.last })
    {
      budgets[oldest.key] = nil
    }
    budgets[address] = (bucket, uptime)
    return wait.map { Int(($0 / .seconds(1)).rounded(.up)) }
  }
}
