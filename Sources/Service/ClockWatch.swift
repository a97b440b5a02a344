import Basics
import Daemon
import Devices
import Horology

/// Watches the system clock and the RTC: reads them when they are due, and judges them.
public final class ClockWatch {
  private var choice: RTCChoice
  private var judge: ClockJudge
  private var outage = Outage()

  /// - Parameter rtcSet: when the RTC was last right, as `rtcSet` of an earlier watch.
  public init(rtc choice: RTCChoice, greatestError: Duration?, rtcSet: Instant? = nil) {
    self.choice = choice
    judge = ClockJudge(greatestError: greatestError, rtcSet: rtcSet)
  }

  /// Takes what is configured. Another RTC is read at the next look.
  func use(_ choice: RTCChoice, greatestError: Duration?) {
    judge.greatestError = greatestError
    guard choice != self.choice else { return }
    self.choice = choice
    judge = ClockJudge(greatestError: greatestError)
    outage = Outage()
  }

  public var state: ClockState { judge.state }
  public var rtc: RTCJudgement? { judge.rtc }
  var rtcSet: Instant? { judge.rtcSet }

  /// Judges the clock as it is now, by the kernel, and by the RTC if a reading is due.
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
      return clock?.read(flags: judge.wasSet(by: now) ? judge.rtc?.reading.flags ?? [] : nil)
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
