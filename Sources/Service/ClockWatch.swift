import Devices
import Horology
import Sound

/// Watches the system's clock and the RTC: reads them when it is due, and has them judged.
public final class ClockWatch {
  /// A line for the journal.
  public typealias Entry = (priority: Priority, message: String)

  /// The RTC to read; another is read at the next look.
  public var choice: RTCChoice {
    didSet { if choice != oldValue { judge.forgetRTC() } }
  }

  private var judge = ClockJudge()
  /// Why the RTC that was asked for cannot be read.
  private var complaint: String?

  public init(rtc choice: RTCChoice) {
    self.choice = choice
  }

  /// The clock, by the last look.
  public var state: ClockState { judge.state }
  /// The RTC, by its last reading; nil if there is none.
  public var rtc: RTCJudgement? { judge.rtc }

  /// Judges the clock as it is now. The kernel is asked each time; the RTC at the first look, five
  /// seconds later, then once an hour, and when the clock was set. In between its last reading
  /// counts, with the time that has passed.
  /// - Parameter mayReadRTC: false while something sounds, for a chip that no longer answers holds
  ///   up whoever asks it.
  /// - Returns: what has changed, for the journal.
  public func look(mayReadRTC: Bool = true) -> [Entry] {
    var entries: [Entry] = []
    let kernel = SystemClock.kernel
    var moment = SystemClock.moment
    if mayReadRTC, judge.isReadingDue(at: moment) {
      let reading = readRTC(&entries)
      moment = SystemClock.moment
      entries += judge.take(reading, kernel: kernel, at: moment).map(\.entry)
    }
    entries += judge.judge(kernel, at: moment).map(\.entry)
    return entries
  }

  private func readRTC(_ entries: inout [Entry]) -> RTCReading? {
    do throws(Fault) {
      let clock = try RealTimeClock.chosen(choice)
      complaint = nil
      return clock?.read()
    } catch {
      if complaint != error.description { entries.append((.warning, error.description)) }
      complaint = error.description
      return nil
    }
  }
}

extension ClockJudge.Report {
  /// The entry that a report makes.
  var entry: ClockWatch.Entry {
    switch self {
    case .rtcFound(let judgement): (.info, "the RTC \(judgement.reading.name) is valid")
    case .rtcValid(let name): (.notice, "the RTC \(name) is valid again")
    case .rtcInvalid(let name, let fault): (.warning, "the RTC \(name) \(fault.words)")
    case .rtcWarning(let name, let warning): (.warning, "the RTC \(name): \(warning.words)")
    case .rtcGone(let name): (.warning, "the RTC \(name) is gone")
    case .rtcDrift(let drift): (.info, drift.words)
    case .doubt(let doubt): (.warning, "nothing vouches for the clock: \(doubt.words)")
    }
  }
}
