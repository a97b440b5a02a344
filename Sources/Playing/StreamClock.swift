import Devices
import Horology

/// The moment at which each frame of a stream leaves the converter: a line through readings of its
/// position. One reading jitters, behind a sound server by milliseconds. A line does not, and its
/// slope is the converter's true rate.
struct StreamClock {
  private let nominalRate: Double
  private var readings: [StreamPosition] = []
  private var line: Line?

  /// A line through the readings: its middle, and its slope in frames per second.
  struct Line {
    let uptime: Uptime
    let frame: Double
    let rate: Double
  }
  /// Ten seconds of readings.
  private static let mostReadings = 500
  /// Minimum spacing between readings.
  private static let spacing = Duration.milliseconds(18)
  /// Readings that span less than this are too few to tell the rate.
  private static let leastSpan = Duration.milliseconds(250)
  /// No converter is further off its nominal rate. A slope that is further off comes from jitter.
  private static let worstRate = 0.005
  /// A reading that is further off means that the stream has just begun, or begun again.
  private static let jump = Duration.milliseconds(20)

  init(rate: Int) {
    nominalRate = Double(rate)
  }

  /// The device has run dry: the next frames leave later than the line says.
  mutating func beginAnew() {
    readings = []
    line = nil
  }

  mutating func add(_ position: StreamPosition) {
    if let expected = frame(at: position.uptime),
      abs(position.frame - expected) > Self.jump.inSeconds * nominalRate
    {
      readings = []
    }
    if let last = readings.last, position.uptime - last.uptime < Self.spacing { return }
    if readings.count == Self.mostReadings { readings.removeFirst() }
    readings.append(position)
    line = lineOfLeastSquares
  }

  /// The frame that leaves the converter at `uptime`; nil before the first reading since the
  /// stream began.
  func frame(at uptime: Uptime) -> Double? {
    line.map { $0.frame + (uptime - $0.uptime).inSeconds * $0.rate }
  }

  /// When `frame` leaves the converter, or left it; nil before the first reading.
  func uptime(ofFrame frame: Double) -> Uptime? {
    line.map { $0.uptime + .seconds((frame - $0.frame) / $0.rate) }
  }

  private var lineOfLeastSquares: Line? {
    guard let first = readings.first, let last = readings.last else { return nil }
    let count = Double(readings.count)
    // Counted from the first one, so that long streams lose no precision.
    let times = readings.map { ($0.uptime - first.uptime).inSeconds }
    let frames = readings.map { $0.frame - first.frame }
    let meanTime = times.reduce(0, +) / count
    let meanFrame = frames.reduce(0, +) / count
    var rate = nominalRate
    if last.uptime - first.uptime >= Self.leastSpan {
      let products = zip(times, frames).reduce(0) {
        $0 + ($1.0 - meanTime) * ($1.1 - meanFrame)
      }
      let squares = times.reduce(0) { $0 + ($1 - meanTime) * ($1 - meanTime) }
      let slope = products / squares
      rate = min(max(slope, nominalRate * (1 - Self.worstRate)), nominalRate * (1 + Self.worstRate))
    }
    return Line(
      uptime: first.uptime + .seconds(meanTime), frame: first.frame + meanFrame, rate: rate)
  }
}
