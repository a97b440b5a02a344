import Basics
import Daemon
import Devices
import Horology

/// Watches the system clock and the RTC: reads them when they are due, and judges them.
public final class ClockWatch {
  /// The RTC to read. A new choice is read at the next look.
  public var choice: RTCChoice {
    didSet {
      guard choice != oldValue else { return }
      judge = ClockJudge(greatestError: greatestError)
      outage = Outage()
    }
  }

  /// Holdover ends when the clock may be off by more than this; nil if it never ends.
  public var greatestError: Duration? {
    get { judge.greatestError }
    set { judge.greatestError = newValue }
  }

  private var judge: ClockJudge
  /// Of the chosen RTC.
  private var outage = Outage()

  /// - Parameter rtcSet: when the RTC was last right, as `rtcSet` of an earlier watch.
  public init(rtc choice: RTCChoice, greatestError: Duration?, rtcSet: Instant? = nil) {
    self.choice = choice
    judge = ClockJudge(greatestError: greatestError, rtcSet: rtcSet)
  }

  public var state: ClockState { judge.state }
  /// The RTC as of its last reading; nil if there is none.
  public var rtc: RTCJudgement? { judge.rtc }
  /// When the RTC was last right, as far as is known.
  var rtcSet: Instant? { judge.rtcSet }

  /// Judges the clock as it is now. Every look asks the kernel.
  ///
  /// The RTC is read at the first look and when the clock was set, and again four seconds later.
  /// Then it is read once an hour, or once a minute while it does not vouch for the clock. Between
  /// readings its last reading counts, plus the time that has passed.
  /// - Parameter mayReadRTC: false while something sounds: a chip that no longer answers blocks the
  ///   reader.
  public func judge(mayReadRTC: Bool = true) -> [Notice] {
    var notices: [Notice] = []
    let kernel = SystemClock.kernel
    var now = SystemClock.now
    if mayReadRTC, judge.isReadingDue(at: now) {
      let reading = readRTC(&notices, at: now)
      now = SystemClock.now
      notices += judge.judge(reading, kernel: kernel, at: now).map(\.notice)
    }
    notices += judge.judge(kernel, at: now).map(\.notice)
    return notices
  }

  private func readRTC(_ notices: inout [Notice], at now: Now) -> RTCReading? {
    do throws(Fault) {
      let clock = try RealTimeClock.chosen(choice)
      _ = outage.ends()
      // Whoever has just set the clock, as timedatectl does, may be setting the RTC now.
      return clock?.read(flags: judge.wasSet(by: now) ? judge.rtc?.reading.flags : nil)
    } catch {
      if outage.begins() { notices.append(Notice(.rtcMissing, .warning, error.description)) }
      return nil
    }
  }
}

extension ClockJudge.Report {
  var notice: Notice {
    switch self {
    case .rtcValid(let name): Notice(.rtc, .info, "the RTC \(name) is valid", ["RTC": name])
    case .rtcInvalid(let name, let fault):
      Notice(
        .rtcInvalid, .warning, "the RTC \(name) \(fault.words)",
        ["RTC": name, "DETAIL": fault.remedy])
    case .rtcBatteryLow(let name):
      Notice(.rtcWarning, .warning, "the RTC \(name): \(RTCJudgement.lowBattery)", ["RTC": name])
    case .endsSoon(let ends):
      Notice(
        .trust, .notice,
        "the clock is trusted until \(ends.day), unless the network or a person sets it right before",
        ["TRUST": ClockTrust.holdover.rawValue, "ENDS": ends.rfc3339])
    }
  }
}
