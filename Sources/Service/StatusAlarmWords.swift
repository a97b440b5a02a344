import Horology

/// An alarm in words: the same in the list of the alarms and on the face of the clock.
extension Status.Alarm {
  /// As in `alarm 2 "school": 07:00, mon-fri, rise 5min: rings mon 2026-11-23 07:00, in 9 h 3 min`.
  public func line(at instant: Instant, _ zone: any Zone) -> String {
    var plan = [time, days]
    if !tune.isEmpty { plan.append(tune) }
    if !rise.isEmpty { plan.append("rise \(rise)") }
    return "alarm \(numberAndName): \(plan.joined(separator: ", ")): \(outlook(at: instant, zone))"
  }

  /// As in `rings mon 2026-11-23 07:00, in 9 h 3 min`.
  public func outlook(at instant: Instant, _ zone: any Zone) -> String {
    if state == "ringing" { return reason.isEmpty ? "rings now" : "is to ring now: \(reason)" }
    guard let next = nextInstant else {
      return reason.isEmpty ? "will not ring any more" : "silent: \(reason)"
    }
    let shown = zone.civil(at: next)
    let time = "\(shown.dateTime)".dropLast(3).map { $0 == "T" ? " " : $0 }
    let moment = "\(shown.weekday.abbreviation) \(String(time))"
    // With a clock that is not trusted, the time may still come.
    if next <= instant, !reason.isEmpty { return "its time was \(moment): \(reason)" }
    let words = "\(moment), in \((next - instant).inWords)"
    if !reason.isEmpty { return "silent \(words): \(reason)" }
    return state == "snoozing" ? "rings again \(words)" : "rings \(words)"
  }
}
