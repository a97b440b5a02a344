import Horology

/// An alarm in words: the same in the list of the alarms and on the face of the clock.
extension Status.Alarm {
  /// As in `alarm 2 "school": 07:00, mon-fri, rise 5min: rings mon 2026-11-23 07:00, in 9 h 3 min`.
  public func line(at instant: Instant, _ zone: any Zone) -> String {
    let plan = [
      "\(alarm.plan.times.time)", "\(alarm.plan.times.days)", alarm.plan.tune?.name,
      alarm.plan.rise.map { "rise \($0)" },
    ]
    let words = plan.compactMap { $0 }.joined(separator: ", ")
    return "alarm \(alarm.numberAndName): \(words): \(outlook(at: instant, zone))"
  }

  /// As in `rings mon 2026-11-23 07:00, in 9 h 3 min`.
  public func outlook(at instant: Instant, _ zone: any Zone) -> String {
    if alarm.isRinging { return reason.map { "is to ring now: \($0)" } ?? "rings now" }
    guard let next else { return reason.map { "silent: \($0)" } ?? "will not ring any more" }
    let shown = zone.civil(at: next)
    let time = "\(shown.dateTime)".dropLast(3).map { $0 == "T" ? " " : $0 }
    let moment = "\(shown.weekday.abbreviation) \(String(time))"
    // With a clock that is not trusted, the time may still come.
    if next <= instant, let reason { return "its time was \(moment): \(reason)" }
    let words = "\(moment), in \((next - instant).inWords)"
    if let reason { return "silent \(words): \(reason)" }
    return alarm.key == "snoozing" ? "rings again \(words)" : "rings \(words)"
  }
}
