import Devices
import Horology

/// Which frame of a stream leaves the converter when, from several readings of its position.
struct StreamClock {
  private let rate: Int
  private var readings: [StreamPosition] = []
  /// Readings jitter, so a few are averaged; few enough that an underrun is soon forgotten.
  private static let mostReadings = 16

  init(rate: Int) {
    self.rate = rate
  }

  mutating func add(_ position: StreamPosition) {
    if readings.count == Self.mostReadings { readings.removeFirst() }
    readings.append(position)
  }

  /// The frame that leaves the converter at `uptime`; nil before the first reading.
  func frame(at uptime: Uptime) -> Double? {
    guard !readings.isEmpty else { return nil }
    let sum = readings.reduce(0.0) {
      $0 + $1.frame + (uptime - $1.uptime).inSeconds * Double(rate)
    }
    return sum / Double(readings.count)
  }

  /// When `frame` leaves the converter, or left it; nil before the first reading.
  func uptime(ofFrame frame: Double) -> Uptime? {
    guard let last = readings.last, let atLast = self.frame(at: last.uptime) else { return nil }
    return last.uptime + .seconds((frame - atLast) / Double(rate))
  }
}
