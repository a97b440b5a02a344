/// How long a clock may take to come back to a system bus that was lost. Until then it may run all
/// the same.
struct BusReturn {
  /// From the moment when the bus answers again. The clock tries to come back 1, 2, 4 ... 32 s after
  /// each failure, and then once a minute (`BusServer` in Service).
  static let limit = Duration.seconds(90)

  private enum Phase {
    case notExpected
    /// The bus is lost, or has not answered since.
    case busIsLost
    case expected(until: Duration)
  }

  private var phase = Phase.notExpected

  var isExpected: Bool {
    if case .notExpected = phase { false } else { true }
  }

  mutating func busIsLost() {
    phase = .busIsLost
  }

  mutating func clockAnswers() {
    phase = .notExpected
  }

  /// The bus answers that the clock is not on it.
  /// - Returns: how long it may still take; nil if it is not expected.
  mutating func clockIsMissing(at uptime: Duration) -> Duration? {
    switch phase {
    case .notExpected: return nil
    case .busIsLost:
      phase = .expected(until: uptime + Self.limit)
      return Self.limit
    case .expected(let end) where end > uptime: return end - uptime
    case .expected:
      phase = .notExpected
      return nil
    }
  }
}
