import Basics
import Devices
import Horology
import Sound

/// One line of the agenda: something that is set to sound, or why it will be silent.
public struct AgendaLine: Hashable, Sendable {
  /// What it is about: `occasion`, `alarm`, `timer` or `interval`.
  private static let cause = Key<String>.text("cause")
  private static let instant = Key<String>.text("instant")
  private static let local = Key<String>.text("local")
  private static let text = Key<String>.text("text")
  /// The tune by its name, or `none`.
  private static let chime = Key<String>.text("chime")
  private static let strikes = Key<Int>.integer("strikes", 0...12)
  private static let sounds = Key<Bool>.flag("sounds")
  private static let reason = Key<String>.text("reason")
  private static let reasonKey = Key<String>.text("reason_key")
  private static let signal = Key<String>.text("signal")
  /// The tune of an alarm, even if it cannot be used.
  private static let tune = Key<String>.text("tune")

  public var record = Record()

  private init(
    _ cause: String, at instant: Instant, _ civil: CivilTime, _ text: String, chime: String?,
    strikes: Int = 0, _ refusal: SkipReason? = nil
  ) {
    record[Self.instant] = instant.utcText()
    record[Self.local] = civil.description
    record[Self.text] = text
    record[Self.chime] = chime ?? "none"
    record[Self.strikes] = strikes
    record[Self.sounds] = refusal == nil
    record[Self.reason] = refusal?.description
    record[Self.reasonKey] = refusal?.key
    record[Self.cause] = cause
  }

  init(_ outlook: Outlook, _ composer: Composer) {
    let occasion = outlook.occasion
    self.init(
      "occasion", at: occasion.instant, occasion.civil,
      outlook.speaks ? (try? composer.text(of: occasion.civil)) ?? "" : "",
      chime: outlook.tune?.name, strikes: outlook.strikes, outlook.refusal)
  }

  init(_ appointment: Appointment, _ composer: Composer, in zone: any Zone) {
    let instant = appointment.instant
    let civil = zone.civil(at: instant)
    switch appointment.cause {
    case .alarm(let alarm):
      let tune = alarm.alarm?.tune
      let chime = tune.flatMap { $0.isMissing ? nil : $0.name }
      let text = (try? composer.text(of: civil)) ?? ""
      self.init("alarm", at: instant, civil, text, chime: chime)
      record[.number] = alarm.number
      record[Self.signal] = chime == nil ? Signal.ring.rawValue : nil
      record = record.merging(alarm.alarm.map { Record($0, AlarmPlan.fieldsOfRing) } ?? Record())
    case .timer(let timer):
      let text = composer.saysTimers ? composer.text(of: timer.phrases) ?? "" : ""
      self.init("timer", at: instant, civil, text, chime: nil)
      record[.name] = timer.name
      record[.number] = timer.number
      record[Self.signal] = Signal.ring.rawValue
    case .interval(let interval, let cue):
      self.init("interval", at: instant, civil, "", chime: nil)
      record[Self.signal] = cue.signal.rawValue
      record = record.merging(interval.plan.record)
    }
  }

  init(_ record: Record) { self.record = record }

  /// True for the next signal of the interval that runs.
  public var isNextSignal: Bool {
    record[Self.cause] == "interval" && record[Self.signal] != Signal.end.rawValue
  }

  public var isOccasion: Bool { record[Self.cause] == "occasion" }
  public var sounds: Bool { record[Self.sounds] ?? true }
  public var hasChime: Bool { record[Self.chime] != "none" }
  public var isInQuietHours: Bool { record[Self.reasonKey] == SkipReason.quietHours.key }
  /// Its local time; nil if a record of another version cannot be read.
  public var local: CivilDateTime? { CivilDateTime(text: (record[Self.local] ?? "").prefix(19)) }

  // MARK: In words

  /// As in `sat 2026-11-21 (UTC+00:00)`: the heading of the lines that have the same.
  public var day: String {
    let local = record[Self.local] ?? ""
    let weekday = CivilDate(text: local.prefix(10))?.weekday.abbreviation ?? ""
    return "\(weekday) \(local.prefix(10)) (UTC\(local.dropFirst(19)))"
  }

  /// As in `12:00  westminster and 12 blows, twelve P M`.
  public var words: String {
    let heard = heard.filter { $0 != "" }.joined(separator: ", ")
    let what = [title, record[Self.reason].map { "silent: \($0)" } ?? heard].compactMap { $0 }
    return "\(time)  \(what.joined(separator: ": "))"
  }

  /// As in `12:00`. Seconds are there if they are not 0.
  public var time: String {
    let time = (record[Self.local] ?? "").dropFirst(11).prefix(8)
    return String(time.hasSuffix(":00") ? time.prefix(5) : time)
  }

  /// As in `alarm "school"`; nil for an occasion.
  public var title: String? {
    let cause = record[Self.cause] ?? ""
    switch cause {
    case "occasion": return nil
    case "interval": return (try? IntervalPlan(record)).map { "interval of \($0)" } ?? cause
    default:
      return Reminder.title(
        Reminder.Kind(rawValue: cause) ?? .timer, record[.number] ?? 0, record[.name])
    }
  }

  private var heard: [String] {
    let text = record[Self.text] ?? ""
    let chime = record[Self.chime].flatMap { $0 == "none" ? nil : $0 }
    switch record[Self.cause] {
    case "occasion":
      return [chime.map { Tune.inWords($0, strikes: record[Self.strikes] ?? 0) } ?? "", text]
    case "interval":
      return [isNextSignal ? "the next signal (\(record[Self.signal] ?? ""))" : "the end"]
    default:
      let signal = record[Self.tune].map {
        "rings with the signal, for its tune \($0) cannot be used"
      }
      return [chime ?? signal ?? "rings"] + AlarmPlan.details(record) + [text]
    }
  }
}
