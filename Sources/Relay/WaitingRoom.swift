import Basics
import Daemon

/// Commands that are to sound at an instant, until the announcer takes them: it prepares them itself,
/// and begins with the frame that belongs to the instant.
final class WaitingRoom {
  /// How long before its instant the announcer is given a command: less than the 5 s that it allows,
  /// and more than any speaker takes.
  private static let lead = Duration.milliseconds(4_750)
  private static let most = 64

  private let loop: EventLoop
  private let ready: (Order, _ topic: String) -> Void
  private var timers: [Int: EventSource] = [:]
  private var count = 0

  init(_ loop: EventLoop, _ ready: @escaping (Order, String) -> Void) {
    self.loop = loop
    self.ready = ready
  }

  /// - Throws: `Rejection` if too many wait already.
  func take(_ order: Order, _ topic: String) throws(Rejection) {
    guard let instant = order.at, instant - .now > Self.lead else { return ready(order, topic) }
    guard timers.count < Self.most else {
      throw Rejection(
        .full, "'\(order.name)': \(Self.most) commands wait for their instants already")
    }
    count += 1
    let number = count
    do throws(Fault) {
      timers[number] = try loop.atUTC(microseconds: (instant + (.zero - Self.lead)).microseconds) {
        [unowned self] in
        timers[number] = nil
        ready(order, topic)
      }
    } catch {
      throw Rejection(.full, error.description)
    }
  }
}
