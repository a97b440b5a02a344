/// Identifies a sounding. No number comes again while the service runs.
public struct SoundingID: Hashable, Comparable, Sendable {
  public let number: Int

  public init(_ number: Int) {
    self.number = number
  }

  public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}
