/// Selects the rejections to log: each cause once an hour, and only a few of each kind, so that
/// made-up causes do not crowd out others.
struct Rejections {
  static let span = Duration.seconds(3600)
  private static let mostOfKind = 8

  private var told: [Rejection.Kind: Set<Rejection>] = [:]
  /// How many were not logged.
  private(set) var untold = 0
  var isEmpty: Bool { told.isEmpty }

  /// - Returns: true if it should be logged.
  mutating func isNew(_ rejection: Rejection) -> Bool {
    if told[rejection.kind, default: []].count < Self.mostOfKind,
      told[rejection.kind, default: []].insert(rejection).inserted
    {
      return true
    }
    untold += 1
    return false
  }
}
