/// A contact that bounces, as of a switch or a button: it counts as active from its first edge,
/// and as inactive once it has been so without a break for the debounce time.
///
/// Time enters as an argument; whoever owns it looks again at `looksAgainAt`.
public struct Contact: Hashable, Sendable {
  public let debounce: Duration
  public private(set) var isActive: Bool
  /// Since when the level is inactive, while that does not count yet.
  private var inactiveSince: Uptime?

  /// - Parameter isActive: what the line says at the start, which is believed.
  public init(isActive: Bool, debounce: Duration) {
    self.isActive = isActive
    self.debounce = debounce
  }

  /// When the level that the line has now will count, if it does not change; nil if it counts.
  public var looksAgainAt: Uptime? { inactiveSince.map { $0 + debounce } }

  /// Takes in an edge, or a reading of the level.
  /// - Parameter uptime: when that was.
  public mutating func note(isActive level: Bool, at uptime: Uptime) {
    look(at: uptime)
    if level {
      isActive = true
      inactiveSince = nil
    } else if isActive && inactiveSince == nil {
      inactiveSince = uptime
      look(at: uptime)
    }
  }

  /// Lets time pass until `uptime`.
  public mutating func look(at uptime: Uptime) {
    guard let looksAgainAt, looksAgainAt <= uptime else { return }
    isActive = false
    inactiveSince = nil
  }
}
