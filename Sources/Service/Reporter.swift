import Basics
import Daemon
import Devices
import Horology
import Sound
import Vocabulary

/// Turns the reports of the Announcer into notices for the journal and the bus, and counts them in
/// the day's tally.
final class Reporter {
  private let journal: Journal
  private let conductor: Conductor
  var bus: BusServer?

  private var tally: Tally
  private var toldRefusal: Refusal?
  private(set) var last: Status.Last?
  /// What could not be played last, and why; empty if something was heard since.
  var failure = ""
  /// The last warning of each kind whose cause is not over, as far as the journal has told; the
  /// newest last.
  private var warnings: [(event: JournalEvent, words: String)] = []

  init(_ journal: Journal, _ conductor: Conductor) {
    self.journal = journal
    self.conductor = conductor
    tally = Tally(today: conductor.announcer.zone.civil(at: SystemClock.now.instant))
    journal.heard = { [unowned self] in heard($0) }
  }

  func report(_ report: Report, _ composer: Composer, _ clock: ClockState) {
    // Log identical refusals in a row once; answer each.
    let refusal: Refusal? = if case .refused(let refusal) = report { refusal } else { nil }
    if refusal != nil, refusal == toldRefusal { return }
    toldRefusal = refusal
    if case .announced(let announcement, let timing) = report, announcement.cause != .start {
      last = Status.Last(
        instant: announcement.anchor, text: (try? composer.text(of: announcement)) ?? "",
        onsetError: timing.onsetError)
    }
    switch report {
    case .retrying(let occasion, let why), .skipped(let occasion, _, .failed(let why)):
      failure = "\(occasion.timeOfDay) could not be played: \(why)"
    case .reminder(let reminder, .unheard(let why)):
      failure = "\(reminder.title) could not be played: \(why)"
    case .interval(let interval, .unheard(let why)):
      failure = "\(interval.title) could not be played: \(why)"
    default: break
    }
    let announcer = conductor.announcer
    journal.log(report.notice(composer, clock, neverHeard: announcer.neverHeard))
    if let ended = tally.add(report, every: announcer.settings.interval) {
      journal.log(ended.notice)
    }
  }

  /// The last warning or error whose cause is not over, with its local date and time. It is not
  /// about the saved state: `StateStore` knows what is wrong with that now.
  var lastError: String { warnings.last?.words ?? "" }

  private func heard(_ notice: Notice) {
    bus?.signal(notice)
    guard let event = JournalEvent(key: notice.event) else {
      preconditionFailure("\(notice.event) is no event")
    }
    let before = lastError
    warnings.removeAll { event.ends.contains($0.event) }
    if notice.priority.rawValue <= Priority.warning.rawValue, !event.isOfState {
      let now = conductor.announcer.zone.civil(at: SystemClock.now.instant)
      warnings.removeAll { $0.event == event }
      warnings.append((event, "\(now.dateTime): \(notice.message)"))
    }
    // Neither a save nor every warning comes with an event, after which the changes are told.
    if event.isOfState || lastError != before { bus?.tellSoon() }
  }

  func end() {
    if !tally.isEmpty { journal.log(tally.notice) }
  }
}

extension Tally {
  /// As in `2026-11-21: sounded 96; skipped 1 (busy 1); the largest error was +0.1 ms`.
  var notice: Notice {
    Notice(.day, .info, "\(date): \(parts.joined(separator: "; "))", fields)
  }

  private var parts: [String] {
    func words(_ key: String, _ count: Int) -> String {
      "\(key.split(separator: "_").joined(separator: " ")) \(count)"
    }
    let reasons = skipped.sorted { $0.key < $1.key }.map(words).joined(separator: ", ")
    let parts = Count.allCases.filter { $0 == .sounded || self[$0] > 0 }.map { count in
      words(count.rawValue, self[count]) + (count == .skipped ? " (\(reasons))" : "")
    }
    return parts + (worstError.map { ["the largest error was \($0.milliseconds)"] } ?? [])
  }

  private var fields: [String: String?] {
    var fields: [String: String?] = ["DAY": date, "WORST_ERROR_USEC": worstError?.inMicroseconds]
    for count in Count.allCases { fields[count.rawValue.uppercased()] = String(self[count]) }
    for (reason, count) in skipped { fields["SKIPPED_\(reason.uppercased())"] = String(count) }
    return fields
  }
}
