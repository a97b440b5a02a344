import Basics
import Horology

extension Status.Alarm {
  private static let reasonKey = Key<String>.text("reason")

  /// When it rings next, or again; nil if it rings now or never will.
  public var next: Instant? { alarm.next }

  public var record: Record {
    var record = alarm.record.shown
    record[Self.reasonKey] = reason
    return record
  }

  init(_ record: Record) throws(BadValue) {
    self.init(
      alarm: try Reminder.alarm(record) { .missing($0) },
      reason: try record.optional(Self.reasonKey))
  }

  // MARK: In words: the same in the list of the alarms and on the face of the clock

  /// As in `alarm 2 "school": 07:00, mon-fri, rise 5min: rings mon 2026-11-23 07:00, in 9 h 3 min`.
  public func line(at instant: Instant, _ zone: any Zone) -> String {
    let plan = [alarm.alarm.map { "\($0.times)" }, alarm.alarm?.tune?.name].compactMap { $0 }
    let words = (plan + AlarmPlan.details(alarm.record)).joined(separator: ", ")
    return "alarm \(alarm.numberAndName): \(words): \(outlook(at: instant, zone))"
  }

  /// As in `rings mon 2026-11-23 07:00, in 9 h 3 min`.
  public func outlook(at instant: Instant, _ zone: any Zone) -> String {
    if alarm.isOff { return "off" }
    if alarm.isRinging { return reason.map { "is to ring now: \($0)" } ?? "rings now" }
    guard let next else { return reason.map { "silent: \($0)" } ?? "will not ring any more" }
    func day(_ time: CivilTime) -> String { "\(time.weekday.abbreviation) \(time.dateTime.date)" }
    let shown = zone.civil(at: next)
    let moment = "\(day(shown)) \(shown.dateTime.timeOfDay.dropLast(3))"
    // With a clock that is not trusted, the time may still come.
    if next <= instant, let reason { return "its time was \(moment): \(reason)" }
    let skipped = alarm.skipped.flatMap { instant < $0 ? day(zone.civil(at: $0)) : nil }
    let words =
      "\(moment), in \((next - instant).inWords)" + (skipped.map { ", without \($0)" } ?? "")
    if let reason { return "will be silent \(words): \(reason)" }
    return alarm.isUp ? "rings again \(words)" : "rings \(words)"
  }
}

extension [Status.Alarm] {
  /// All that ring; if none does, the next, even if it will be silent.
  public var shown: [Status.Alarm] {
    let ringing = filter(\.alarm.isRinging)
    if !ringing.isEmpty { return ringing }
    let next = filter { $0.next != nil }.min { $0.next! < $1.next! }
    // Without a known time it may still ring: its time is known once the clock is right.
    return (next ?? first { !$0.alarm.isUp && $0.reason != nil }).map { [$0] } ?? []
  }
}
