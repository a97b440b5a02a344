import Basics
import Daemon
import Horology

/// Holds commands for an instant until the announcer takes them. The announcer prepares them
/// itself, and begins with the frame that belongs to the instant.
final class WaitingRoom {
  /// How long before its instant the announcer gets a command: less than the 5 s that it allows,
  /// and more than any speaker needs.
  static let lead = Duration.milliseconds(4_750)
  private static let most = 64

  private let loop: EventLoop
  private let ready: (ReceivedCommand) -> Void
  private var timers: [Int: (command: ReceivedCommand, timer: EventSource)] = [:]
  private var count = 0

  init(_ loop: EventLoop, _ ready: @escaping (ReceivedCommand) -> Void) {
    self.loop = loop
    self.ready = ready
  }

  /// The waiting commands, in the order of their arrival.
  var commands: [ReceivedCommand] { timers.sorted { $0.key < $1.key }.map(\.value.command) }

  /// - Throws: `Rejection` if too many wait already.
  func take(_ command: ReceivedCommand, at instant: Instant) throws(Rejection) {
    guard timers.count < Self.most else {
      throw Rejection(.full, "\(Self.most) commands wait for their instants already")
    }
    count += 1
    let number = count
    do throws(Fault) {
      let due = instant + (.zero - Self.lead)
      let timer = try loop.atUTC(microseconds: due.microseconds) { [unowned self] in
        timers[number] = nil
        ready(command)
      }
      timers[number] = (command, timer)
    } catch {
      throw Rejection(.full, error.description)
    }
  }

  /// Forgets a command, or all of them.
  /// - Parameter id: nil for all.
  /// - Returns: those that were waiting.
  func cancel(_ id: String? = nil) -> [ReceivedCommand] {
    let cancelled = timers.filter { id == nil || $0.value.command.order.id == id }
    for number in cancelled.keys { timers[number] = nil }
    return cancelled.sorted { $0.key < $1.key }.map(\.value.command)
  }
}
