import Basics
import Daemon
import Devices
import Horology
import Sound

/// Turns the reports of the Announcer into notices for the journal and the bus, and counts them in
/// the day's tally.
final class Reporter {
  private let journal: Journal
  private let conductor: Conductor
  private let clockWatch: ClockWatch
  /// Gives the words of an announcement.
  var composer: Composer
  var bus: BusServer?

  private var tally: Tally
  /// The refusal that was logged last; nil after any other report.
  private var toldRefusal: Report?
  /// The timing of the last announcement.
  private(set) var lastTiming: Timing?
  /// The last warning or error, with its local date and time. A failure to save is forgotten once
  /// the state is saved.
  private(set) var lastError = ""
  private var lastErrorIsOfSaving = false
  /// What `lastError` was before the state could not be saved.
  private var errorBefore = ""

  init(_ journal: Journal, _ conductor: Conductor, _ clockWatch: ClockWatch, _ composer: Composer) {
    self.journal = journal
    self.conductor = conductor
    self.clockWatch = clockWatch
    self.composer = composer
    let now = SystemClock.now
    let announcer = conductor.announcer
    tally = Tally(
      today: announcer.zone.civil(at: now.instant), trust: announcer.trust, at: now.uptime)
    journal.heard = { [unowned self] in heard($0) }
  }

  func tell(_ report: Report) {
    switch report {
    // Log identical refusals in a row once; answer each.
    case .refused, .timerRefused, .alarmRefused:
      guard report != toldRefusal else { return }
      toldRefusal = report
    default: toldRefusal = nil
    }
    if case .announced(_, let timing) = report { lastTiming = timing }
    journal.log(notice(of: report))
    let interval = conductor.announcer.settings.interval
    if let ended = tally.take(report, every: interval, at: SystemClock.uptime) {
      journal.log(ended.notice)
    }
    if let (name, values) = report.signal(composer) { bus?.signal(name, values) }
  }

  private func notice(of report: Report) -> Notice {
    guard case .timer(let countdown, let event) = report else {
      return report.notice(composer, clockWatch.state)
    }
    return event.notice(
      of: countdown,
      neverHeard: conductor.announcer.neverHeard(countdown, at: SystemClock.now))
  }

  /// Signals every notice on the bus, and remembers the last warning.
  private func heard(_ notice: Notice) {
    bus?.signal("Noticed", notice.values)
    // A save is no event, after which the changes are told.
    let tellsOfSave = [JournalEvent.state, .stateSetAside].map(\.rawValue).contains(notice.event)
    if tellsOfSave { bus?.tellSoon() }
    if notice.event == JournalEvent.state.rawValue, lastErrorIsOfSaving {
      (lastError, lastErrorIsOfSaving) = (errorBefore, false)
    }
    guard notice.priority.rawValue <= Priority.warning.rawValue else { return }
    let now = conductor.announcer.zone.civil(at: SystemClock.now.instant)
    let isOfSaving = notice.event == JournalEvent.stateFailed.rawValue
    if isOfSaving, !lastErrorIsOfSaving { errorBefore = lastError }
    lastErrorIsOfSaving = isOfSaving
    lastError = "\(now.dateTime): \(notice.message)"
    // Not every warning comes with an event, either.
    bus?.tellSoon()
  }

  /// Logs the day's tally so far.
  func end() {
    let day = tally.end(at: SystemClock.uptime)
    if !day.isEmpty { journal.log(day.notice) }
  }
}
