/// A contact that bounces, of a switch or a button. It counts as active from its first edge, and as
/// inactive once it has been inactive without a break for `debounce`.
///
/// Time enters as an argument. The owner looks again at `settlesAt`.
public struct Contact: Hashable, Sendable {
  public static let debounce = Duration.milliseconds(30)
  public private(set) var isActive: Bool
  /// Since when the level is inactive, while the contact still counts as active.
  private var inactiveSince: Uptime?

  /// - Parameter isActive: what the line says at the start; it counts at once.
  public init(isActive: Bool) {
    self.isActive = isActive
  }

  /// When the line's present level will count, if it does not change; nil if it counts already.
  public var settlesAt: Uptime? { inactiveSince.map { $0 + Self.debounce } }

  /// Takes in an edge, or a reading of the level.
  /// - Parameter uptime: when that was.
  public mutating func read(isActive level: Bool, at uptime: Uptime) {
    settle(at: uptime)
    if level {
      isActive = true
      inactiveSince = nil
    } else if isActive && inactiveSince == nil {
      inactiveSince = uptime
      settle(at: uptime)
    }
  }

  /// Lets time pass until `uptime`.
  public mutating func settle(at uptime: Uptime) {
    guard let settlesAt, settlesAt <= uptime else { return }
    isActive = false
    inactiveSince = nil
  }
}
