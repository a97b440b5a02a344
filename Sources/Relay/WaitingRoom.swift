import Basics
import Daemon

/// Holds commands for an instant until the announcer takes them. The announcer prepares them
/// itself, and begins with the frame that belongs to the instant.
final class WaitingRoom {
  /// A command, and where it came from.
  struct Guest {
    let order: Order
    /// The MQTT topic, or the HTTP path.
    let topic: String
    /// Called once with the outcome; nil if nobody waits for it.
    var answer: ((CommandOutcome) -> Void)?
  }

  /// How long before its instant the announcer gets a command: less than the 5 s that it allows,
  /// and more than any speaker needs.
  static let lead = Duration.milliseconds(4_750)
  private static let most = 64

  private let loop: EventLoop
  private let ready: (Guest, AnnouncerCall) -> Void
  private var timers: [Int: (guest: Guest, timer: EventSource)] = [:]
  private var count = 0

  init(_ loop: EventLoop, _ ready: @escaping (Guest, AnnouncerCall) -> Void) {
    self.loop = loop
    self.ready = ready
  }

  /// The waiting commands, in the order of their arrival.
  var guests: [Guest] { timers.sorted { $0.key < $1.key }.map(\.value.guest) }

  /// - Parameter call: handed to `ready` with the command.
  /// - Throws: `Rejection` if too many wait already.
  func take(_ guest: Guest, _ call: AnnouncerCall, at instant: UTCTime) throws(Rejection) {
    guard timers.count < Self.most else {
      throw Rejection(
        .full, "'\(guest.order.name)': \(Self.most) commands wait for their instants already")
    }
    count += 1
    let number = count
    do throws(Fault) {
      let due = instant + (.zero - Self.lead)
      let timer = try loop.atUTC(microseconds: due.microseconds) { [unowned self] in
        timers[number] = nil
        ready(guest, call)
      }
      timers[number] = (guest, timer)
    } catch {
      throw Rejection(.full, error.description)
    }
  }

  /// Forgets a command, or all of them.
  /// - Parameter id: nil for all.
  /// - Returns: those that were waiting.
  func cancel(_ id: String? = nil) -> [Guest] {
    let cancelled = timers.filter { id == nil || $0.value.guest.order.id == id }
    for number in cancelled.keys { timers[number] = nil }
    return cancelled.sorted { $0.key < $1.key }.map(\.value.guest)
  }
}
