import Horology

extension OwnerRules {
  /// The configuration as the product takes it.
  var settings: AnnouncerSettings {
    var settings = AnnouncerSettings()
    settings.interval = Interval(minutes: interval)!
    settings.quiet = try! QuietHours(text: quiet.map(\.text).joined(separator: ", "))
    settings.quieter = try! VolumeRules(
      text: quieter.map { "\($0.window.text) \($0.decibels)dB" }.joined(separator: ", "))
    settings.chime = chime?.tune
    settings.chimeQuarters = chimeQuarters?.tune
    settings.voiceAtHour = voiceAtHour
    settings.lateLimit = .nanoseconds(lateLimit)
    settings.leadIn = .nanoseconds(leadIn)
    settings.latencyOffset = .nanoseconds(latencyOffset)
    settings.untrusted = untrusted
    settings.whenLost = whenLost
    settings.silences = silences
    settings.atStop = atStop
    settings.ringLimit = .nanoseconds(ringLimit)
    settings.tellsLeft = tellsLeft
    settings.alarms = alarms.map(\.plan)
    settings.saysTimers = true
    return settings
  }
}

extension OwnerRules.Melody {
  var tune: Tune {
    Tune(
      name: name, description: name,
      movements: parts.mapValues { part in
        Tune.Movement(
          melody: part.notes.map { Blow(bell: "E4", offset: .nanoseconds($0)) },
          lead: .nanoseconds(part.lead),
          strikes: part.strikes.map {
            Tune.Strikes(
              bell: "E3", count: $0 == .hour ? .hour : .watch, gaps: [.nanoseconds(part.gap)])
          },
          rest: .nanoseconds(part.rest))
      })
  }
}

extension OwnerRules.Alarm {
  /// The alarm as the product takes it.
  var plan: AlarmPlan {
    let days: AlarmDays =
      switch days {
      case .weekly(let days): .weekly(Set(days.map { Weekday(rawValue: $0)! }))
      case .next: .next
      case .date(let day): try! AlarmDays(date: String((day * 24 * hour).utcText.prefix(10)))
      }
    let time = TimeOfDay(hour: minuteOfDay / 60, minute: minuteOfDay % 60)!
    var plan = AlarmPlan(name: name, AlarmTimes(time: time, days: days))
    plan.tune = tune?.tune
    plan.rise = rise.flatMap { AlarmRise(from: $0.from, over: .nanoseconds($0.length)) }
    return plan
  }
}

extension OwnerRules: CustomStringConvertible {
  /// The settings that differ from the shipped ones.
  var description: String {
    let usual = OwnerRules()
    var words: [String] = []
    func tell<Value: Equatable>(_ name: String, _ path: KeyPath<OwnerRules, Value>, _ text: String)
    {
      if self[keyPath: path] != usual[keyPath: path] { words.append("\(name) \(text)") }
    }
    tell("interval", \.interval, "\(interval)")
    tell("quiet", \.quiet, quiet.map(\.text).joined(separator: ", "))
    tell(
      "quieter", \.quieter,
      quieter.map { "\($0.window.text) \($0.decibels)dB" }.joined(separator: ", "))
    tell("chime", \.chime, chime?.name ?? "none")
    tell("chime_quarters", \.chimeQuarters, chimeQuarters?.name ?? "none")
    tell("voice_at_hour", \.voiceAtHour, voiceAtHour.rawValue)
    tell("late_limit", \.lateLimit, Duration.nanoseconds(lateLimit).roughly)
    tell("lead_in", \.leadIn, Duration.nanoseconds(leadIn).roughly)
    tell("latency_offset", \.latencyOffset, Duration.nanoseconds(latencyOffset).roughly)
    tell("untrusted", \.untrusted, untrusted.rawValue)
    tell("when_lost", \.whenLost, whenLost.rawValue)
    tell("silences", \.silences, silences.rawValue)
    tell("at_stop", \.atStop, atStop.rawValue)
    tell("ring_limit", \.ringLimit, Duration.nanoseconds(ringLimit).roughly)
    tell("tell_left", \.tellsLeft, tellsLeft.map(\.rawValue).sorted().joined(separator: ", "))
    tell("alarms", \.alarms, alarms.map(\.inShort).joined(separator: ", "))
    return words.isEmpty ? "as shipped" : words.joined(separator: "; ")
  }
}
