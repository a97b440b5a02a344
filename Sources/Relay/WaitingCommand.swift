import Basics
import Horology

/// A command for an instant, from when it is taken until it has ended.
final class WaitingCommand {
  enum Stage: Equatable {
    /// Until its instant is near; or until `retry`, because the clock was busy or absent.
    case kept(retry: Instant? = nil)
    case sent
    /// The clock has it, and has answered this. It forgets it if it ends before the instant.
    case handed(Record)
    case ended
  }

  enum Step: Equatable {
    case send
    /// With what the clock has answered.
    case done(Record)
    case lost(Rejection)
  }

  /// A command is sent this much later than the clock takes it.
  private static let margin = Duration.milliseconds(250)
  private static let pause = Duration.milliseconds(250)

  let order: Order
  let instant: Instant
  /// In the register; nil if it is not kept there.
  let number: Int64?
  /// The relay has restarted since it came.
  private let isRestored: Bool
  var stage = Stage.kept() {
    willSet { precondition(stage != .ended, "a command ends once") }
  }
  /// Why the clock did not take it at first.
  private(set) var failure: Rejection?

  init(_ order: Order, at instant: Instant, number: Int64?, isRestored: Bool = false) {
    (self.order, self.instant, self.number, self.isRestored) = (order, instant, number, isRestored)
  }

  /// The clock was busy or absent.
  func fail(_ why: Rejection, at now: Instant) {
    failure = failure ?? why
    stage = .kept(retry: now + Self.pause)
  }

  /// When it is due for its next step; nil if the clock has to answer first.
  func due(_ clock: AnnouncerState) -> Instant? {
    switch stage {
    case .kept(let retry): retry ?? instant + (Self.margin - clock.requestAhead)
    case .handed: instant
    case .sent, .ended: nil
    }
  }

  /// What is to be done with it now; nil for nothing.
  /// - Parameters:
  ///   - clock: as it was told last.
  ///   - isHeard: whether an answer reaches the sender.
  func step(at now: Instant, _ clock: AnnouncerState, isRunning: Bool, isHeard: Bool) -> Step? {
    guard let due = due(clock) else { return nil }
    if instant > now { return due <= now ? .send : nil }
    if case .handed(let answer) = stage { return .done(answer) }
    // Whether it was lost is told when that is known, and somebody can hear it.
    guard isHeard, !isRestored || isRunning && !clock.isPlaying else { return nil }
    if isRestored, clock.lastAnchor == instant { return .done(Record()) }
    let why = "its instant \(instant.rfc3339) passed before it could be carried out"
    // The first reason says more than that it is now too late.
    return .lost(failure ?? Rejection(.past, why))
  }
}
