import Horology

/// What the kernel and an RTC chip can tell about the time.
struct ClockHardware: Hashable {
  /// A time server is heard.
  var isSynchronised = true
  /// The kernel's maximum error when corrections stopped, and the uptime at which they did.
  private var error: Int64 = 0
  private var since: Int64 = 0
  /// What the clock showed when it was last synchronised in this boot.
  private var synchronisedAt: Int64?
  var rtc = RTC.none

  /// A real-time clock.
  enum RTC: Hashable {
    case none
    /// Ahead of true time by this much.
    case running(ahead: Int64)
    /// Its battery is empty: the driver refuses its time.
    case dead
    /// It no longer answers.
    case mute
  }

  mutating func synchronise() {
    isSynchronised = true
    // The time server's client has the kernel set the RTC as well.
    if case .running = rtc { rtc = .running(ahead: 0) }
  }

  /// No server is heard any more. Or somebody else has set the clock: then the kernel's error is
  /// unknown at once.
  mutating func lose(_ moment: Moment, atOnce: Bool) {
    if isSynchronised { synchronisedAt = moment.shown }
    error = atOnce ? 16 * second : isSynchronised ? millisecond : error(moment)
    since = moment.uptime
    isSynchronised = false
  }

  /// The machine is switched on.
  mutating func start(_ moment: Moment) {
    isSynchronised = false
    error = 16 * second
    since = moment.uptime
    synchronisedAt = nil
  }

  /// The error grows by 500 ppm while nobody corrects the clock.
  private func error(_ moment: Moment) -> Int64 {
    isSynchronised ? millisecond : min(error + (moment.uptime - since) / 2000, 16 * second)
  }

  func kernel(_ moment: Moment) -> KernelClock {
    KernelClock(
      maximumError: .nanoseconds(error(moment)),
      timesyncd: isSynchronised
        ? Instant(nanoseconds: moment.shown)
        : synchronisedAt.map { Instant(nanoseconds: $0) })
  }

  /// The result of reading the RTC; nil if there is none.
  /// - Parameter error: how far the clock is ahead of true time.
  func reading(_ moment: Moment, error: Int64) -> RTCReading? {
    let answer: RTCReading.Answer
    switch rtc {
    case .none: return nil
    case .dead: answer = .notValid
    case .mute: answer = .failed("Input/output error")
    case .running(let ahead):
      let time = moment.shown - error + ahead
      answer = .time(Instant(seconds: time / second))
    }
    return RTCReading(
      name: "ds3231", moment: moment.now, answer: answer, health: .unsupported)
  }

  /// True if the kernel counts the clock as synchronised.
  func isSynchronised(_ moment: Moment) -> Bool { error(moment) < 16 * second }

  /// True if it was so since the machine was switched on.
  var wasSynchronised: Bool { isSynchronised || synchronisedAt != nil }

  /// True if there is an RTC that may be right.
  var hasRTC: Bool { if case .running = rtc { true } else { false } }
}
