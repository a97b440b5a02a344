/// How an RTC drifts against a synchronised clock.
public struct RTCDrift: Hashable, Sendable {
  public let name: String
  /// By how much the RTC is ahead now, within half a second.
  public let ahead: Duration
  /// The rate at which it gains, and the error of that rate, both in ppm.
  public let rate: Int64
  public let rateError: Int64
  public let since: Instant

  /// Compares readings, and reports once a day.
  struct Watch {
    private var first: Sample?
    private var last: Sample?
    private var reported: Instant?

    private struct Sample {
      let at: Instant
      let ahead: Duration
    }

    static let reportInterval = Duration.seconds(86_400)

    /// - Parameter reading: one that is valid, taken while the clock was synchronised.
    mutating func add(_ reading: RTCReading) -> RTCDrift? {
      guard let lead = reading.lead(at: reading.moment) else { return nil }
      let sample = Sample(at: reading.moment.instant, ahead: .zero - lead)
      defer { last = sample }
      // The RTC was set meanwhile, so start again from here. A kernel that is built to do so sets
      // it every eleven minutes.
      if let last {
        let elapsed = sample.at - last.at
        let moved = (sample.ahead - last.ahead).magnitude
        if elapsed <= .zero || moved > .milliseconds(1100) + elapsed.millionths(500) { first = nil }
      }
      guard let first else {
        first = sample
        reported = sample.at
        return nil
      }
      guard let reported, sample.at - reported >= Self.reportInterval else { return nil }
      self.reported = sample.at
      let elapsed = sample.at - first.at
      // Both ends are known within half a second.
      return RTCDrift(
        name: reading.name, ahead: sample.ahead,
        rate: Self.millionths(sample.ahead - first.ahead, of: elapsed),
        rateError: max(Self.millionths(.seconds(1), of: elapsed), 1), since: first.at)
    }

    private static func millionths(_ part: Duration, of whole: Duration) -> Int64 {
      Int64((part.inSeconds / whole.inSeconds * 1e6).rounded())
    }
  }
}
