@preconcurrency import Glibc
import Horology
import Sound

/// How much an entry matters, as syslog counts it.
public enum Priority: Int {
  case error = 3
  case warning = 4
  case notice = 5
  case info = 6
}

/// The story of the service: a line for each event, on standard error.
public struct Journal {
  /// Under systemd the priority stands before a line, as sd-daemon(3) has it; for a person it
  /// does not.
  private let isUnderSystemd = getenv("JOURNAL_STREAM") != nil

  public init() {}

  public func log(_ priority: Priority, _ message: String) {
    // One write, so that lines do not mix. A reader that has gone is no reason to stop.
    let line = "\(isUnderSystemd ? "<\(priority.rawValue)>" : "")\(message)\n"
    _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }
}

extension Report {
  /// The entry that a report makes.
  func entry(_ composer: Composer) -> (Priority, String) {
    switch self {
    case .announced(let announcement, let timing):
      let done = announcement.inWords(composer, chimed: "chimed", said: "said")
      let error = timing.inWords
      switch announcement.cause {
      case .occasion(let occasion):
        let late = announcement.anchor - occasion.instant
        let lateness = late > .zero ? ", \(late.milliseconds) late" : ""
        let missing = announcement.isShortened ? ", too late for its chime" : ""
        return (.info, "\(done) for \(occasion.timeOfDay)\(lateness)\(missing), \(error)")
      case .request:
        return (.info, "\(done) because it was asked for, \(error)")
      }
    case .cutOff(let announcement, let reason, let after):
      let what = announcement.inWords(composer, chimed: "the chime", said: "")
      return (
        .info, "cut off \(what): \(reason); silent \(after.milliseconds) after that"
      )
    case .skipped(let first, let last, let reason):
      let range = first == last ? first.timeOfDay : "\(first.civil) to \(last.civil)"
      return (reason.priority, "skipped \(range): \(reason)")
    case .refused(let reason):
      return (reason.priority, "did not say the time that was asked for: \(reason)")
    case .trust(let trust):
      return (trust == .untrusted ? .warning : .notice, "the clock is \(trust.rawValue)")
    case .ringer(let ringer):
      switch ringer {
      case .absent: return (.notice, "there is no switch any more")
      case .on: return (.info, "the switch is on")
      case .off: return (.info, "the switch is off: silence")
      case .lost(let why): return (.warning, "the switch cannot be read: \(why)")
      }
    case .mute(let mute, let end):
      return (.info, mute.inWords(until: end))
    case .clockSet(let step):
      let direction = step < .zero ? "back" : "forward"
      return (.notice, "the clock went \(direction) by \(step.magnitude.milliseconds)")
    case .retrying(let occasion, let why):
      return (.warning, "\(occasion.timeOfDay) cannot sound yet, trying again: \(why)")
    }
  }
}

extension SkipReason {
  /// What the owner has asked for is information; what went wrong is a warning.
  fileprivate var priority: Priority {
    switch self {
    case .quietHours, .nothingToSound, .muted, .softwareMuted, .occasionIsNear, .stopped: .info
    case .untrusted, .switchLost, .tooLateForChime, .late, .busy, .failed: .warning
    }
  }
}

extension SoftwareMute {
  /// A sentence; `end` is what the clocks show when it ends by itself.
  func inWords(until end: CivilTime?) -> String {
    switch self {
    case .off: "not muted any more"
    case .until: "muted until \(end?.dateTime.description ?? "its end")"
    case .next: "muted for the next announcement"
    case .on: "muted until it is unmuted"
    }
  }
}

extension Announcement {
  /// What of it there is: as in `chimed and said "three o'clock"`.
  fileprivate func inWords(_ composer: Composer, chimed: String, said: String) -> String {
    let chime = programme.blows.isEmpty ? nil : chimed
    let text = programme.words == .none ? nil : try? composer.text(of: time)
    let words = text.map { said.isEmpty ? "\"\($0)\"" : "\(said) \"\($0)\"" }
    return [chime, words].compactMap { $0 }.joined(separator: " and ")
  }
}

extension Timing {
  /// As in `onset +0.1 ms`, with what else there is to tell.
  var inWords: String {
    var words = "onset \(onsetError.milliseconds)"
    if worstError != onsetError { words += ", at worst \(worstError.milliseconds)" }
    if underruns > 0 { words += ", the speaker ran dry \(underruns) times" }
    return words
  }
}

extension Occasion {
  var timeOfDay: String { civil.dateTime.timeOfDay }
}

extension Duration {
  /// Signed, in milliseconds with one decimal or, from a minute on, in words: `+0.1 ms`.
  public var milliseconds: String {
    if magnitude >= .seconds(60) { return magnitude.inWords }
    let tenths = (magnitude.nanoseconds + 50_000) / 100_000
    return "\(self < .zero && tenths > 0 ? "-" : "+")\(tenths / 10).\(tenths % 10) ms"
  }
}
