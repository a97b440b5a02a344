/// What a person asks of the alarms by the words of a command.
public enum AlarmCall: Hashable, Sendable {
  /// The tune is named, and not read yet; nil for the signal.
  case set(AlarmPlan, tune: String?)
  case list(asJSON: Bool)
  /// Of what is named, or of all.
  case snooze(String?)
  case stop(String?)
  case cancel(String)
}

/// Why words ask for nothing: a sentence that says what to do.
public struct AlarmMisuse: Error, Hashable, CustomStringConvertible {
  public let description: String
}

extension AlarmCall {
  /// Every option, in the order of the help.
  public static let options = ["days", "date", "name", "tune", "rise", "even-if-quiet", "json"]
  private static let help = "see 'clocksmith alarm --help'"

  /// - Parameters:
  ///   - words: a time, or what is to be done and to which.
  ///   - options: by name, without dashes; one that takes no argument has any text.
  public init(_ words: [String], options: [String: String]) throws(AlarmMisuse) {
    guard let first = words.first else {
      throw AlarmMisuse(description: "alarm wants a time, as in 07:00; \(Self.help)")
    }
    let isSet = first.first.map { !$0.isLetter } ?? true
    for option in Self.options where options[option] != nil {
      let isMeant = option == "json" ? first == "list" : isSet
      guard isMeant else {
        let place = isSet ? "an alarm that is set" : "'alarm \(first.shortened)'"
        throw AlarmMisuse(description: "--\(option) means nothing for \(place); leave it out")
      }
    }
    switch (first, words.count) {
    case (_, 1) where isSet:
      self = .set(try Self.plan(first, options), tune: options["tune"].flatMap(Self.tune))
    case (_, _) where isSet:
      throw AlarmMisuse(
        description: "unexpected '\(words[1].shortened)'; days are given as --days mon-fri")
    case ("list", 1): self = .list(asJSON: options["json"] != nil)
    case ("snooze", 1...2): self = .snooze(words.count > 1 ? words[1] : nil)
    case ("stop", 1...2): self = .stop(words.count > 1 ? words[1] : nil)
    case ("cancel", 2): self = .cancel(words[1])
    case ("cancel", 1):
      throw AlarmMisuse(
        description: "'alarm cancel' wants a name or a number; 'clocksmith alarm list' shows them")
    case ("list", _), ("snooze", _), ("stop", _), ("cancel", _):
      throw AlarmMisuse(description: "'alarm \(first)' has too many words; \(Self.help)")
    default:
      throw AlarmMisuse(
        description:
          "'\(first.shortened)' is neither a time, as in 07:00, nor list, snooze, stop or "
          + "cancel")
    }
  }

  private static func tune(_ name: String) -> String? { name == "none" ? nil : name }

  private static func plan(
    _ time: String, _ options: [String: String]
  ) throws(AlarmMisuse) -> AlarmPlan {
    if options["days"] != nil && options["date"] != nil {
      throw AlarmMisuse(description: "--days and --date exclude each other; leave one of them out")
    }
    let name = options["name"]
    if let name, let flaw = Alarm.flaw(ofName: name) {
      throw AlarmMisuse(description: "--name cannot be used: \(flaw); choose another")
    }
    // The option that is read, for an error.
    var place = ""
    func text(_ option: String) -> String? {
      place = "--\(option) "
      return options[option]
    }
    do throws(AlarmRefusal) {
      var plan = AlarmPlan(name: name, AlarmTimes(time: try TimeOfDay(text: time), days: .next))
      if let days = text("days") {
        plan.times = AlarmTimes(time: plan.times.time, days: try AlarmDays(weekdays: days))
      }
      if let date = text("date") {
        plan.times = AlarmTimes(time: plan.times.time, days: try AlarmDays(date: date))
      }
      if let rise = text("rise") { plan.rise = try AlarmRise.rise(text: rise) }
      if options["even-if-quiet"] != nil { plan.quietHours = .override }
      return plan
    } catch {
      throw AlarmMisuse(description: place + error.description)
    }
  }
}
