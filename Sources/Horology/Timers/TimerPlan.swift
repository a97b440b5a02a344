import Basics

public struct TimerPlan: Hashable, Sendable {
  /// From its start to zero, including time that was added.
  public var length: Duration
  public var name: String?

  public init(_ length: Duration = .zero, name: String? = nil) {
    self.length = length
    self.name = name
  }

  public static let fields: [Field<Self>] = [
    Field(.length, \.length).required,
    Field(.timerName, \.name).option("NAME", "the name of the timer, as in tea"),
  ]
}
