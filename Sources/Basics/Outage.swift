/// What is lost and tried again: told once, tried ever more slowly, and told when it is back.
///
///     if outage.begins() { journal.log("the lamp is lost") }
///     retry = loop.after(outage.nextWait()) { ... }
public struct Outage: Sendable {
  public private(set) var isLost = false
  private let first: Duration
  private let longest: Duration
  private var wait: Duration

  public init(first: Duration = .seconds(1), longest: Duration = .seconds(60)) {
    (self.first, self.longest, wait) = (first, longest, first)
  }

  /// - Returns: true if it was there before, so that the loss is news.
  public mutating func begins() -> Bool {
    defer { isLost = true }
    return !isLost
  }

  /// - Returns: true if it was lost before, so that its return is news.
  public mutating func ends() -> Bool {
    defer { (isLost, wait) = (false, first) }
    return isLost
  }

  /// How long to wait before the next try: twice as long each time, up to the longest.
  public mutating func nextWait() -> Duration {
    defer { wait = min(wait * 2, longest) }
    return wait
  }
}
