import Basics
import Daemon
import Horology

extension Status {
  /// A timer, as it is seen from outside. Spans are in microseconds.
  public struct Timer: Numbered, Hashable, Sendable {
    public static let kind = "timer"

    public let number: UInt32
    /// Empty for none.
    public let name: String
    /// running, paused or ringing.
    public let state: String
    public let length: UInt64
    /// The time left of a paused timer; 0 for any other, where `zero` tells it.
    public let left: UInt64
    /// When it reaches or reached zero; microseconds of UTC since 1970, 0 for a paused timer.
    public let zero: UInt64

    init(
      number: UInt32, name: String, state: String, length: UInt64, left: UInt64, zero: UInt64
    ) {
      self.number = number
      self.name = name
      self.state = state
      self.length = length
      self.left = left
      self.zero = zero
    }

    init(_ countdown: Countdown) {
      let (left, zero): (Duration, UInt64) =
        switch countdown.state {
        case .running(let zero): (.zero, zero.shown.microseconds)
        case .paused(let left): (left, 0)
        case .ringing(let since): (.zero, since.shown.microseconds)
        }
      self.init(
        number: UInt32(countdown.number), name: countdown.name ?? "", state: countdown.key,
        length: countdown.length.microseconds, left: left.microseconds, zero: zero)
    }

    /// How long it is until zero.
    public func left(at instant: Instant) -> Duration {
      guard state == "running" else { return .microseconds(Int64(clamping: left)) }
      return .microseconds(max(Int64(clamping: zero) - Int64(clamping: instant.microseconds), 0))
    }

    /// From its start to zero.
    public var span: Duration { .microseconds(Int64(clamping: length)) }
  }
}

extension Status.Timer: BusRow {
  public static let types = "ussttt"

  public var values: [BusValue] {
    [
      .small(number), .text(name), .text(state), .unsigned(length), .unsigned(left),
      .unsigned(zero),
    ]
  }

  public init?(values: [BusValue]) {
    guard values.count == 6, let number = UInt32(values[0]), let name = String(values[1]),
      let state = String(values[2]), let length = UInt64(values[3]), let left = UInt64(values[4]),
      let zero = UInt64(values[5])
    else { return nil }
    self.init(
      number: number, name: name, state: state, length: length, left: left, zero: zero)
  }
}
