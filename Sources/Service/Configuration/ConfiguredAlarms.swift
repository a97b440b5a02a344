import Basics
import Horology
import Sound

/// The sections `[alarm NAME]`. A later file overrides an earlier one, key by key.
struct ConfiguredAlarms: Sendable {
  private struct Section: Sendable {
    let name: String
    /// File and line where it first appears.
    let place: String
    var time: TimeOfDay?
    var days = AlarmDays.weekly(Set(Weekday.allCases))
    var tune: Tune?
    var rise: AlarmRise?
  }

  private var sections: [Section] = []

  /// The name after `alarm`, with one space between its words; nil for any other section.
  static func name(of section: String) -> String? {
    let words = section.split(whereSeparator: \.isWhitespace)
    return words.first == "alarm" ? words.dropFirst().joined(separator: " ") : nil
  }

  /// The name that is meant by one that was typed: the same, or the only one that reads the same.
  func name(readAs typed: String) -> String? {
    let found = sections.map(\.name).filter { $0.reads(as: typed) }
    return found.contains(typed) || found.count > 1 ? typed : found.first
  }

  mutating func begin(_ section: INIFile.Section, in file: String) throws(Fault) {
    guard let name = Self.name(of: section.name) else { return }
    let place = "\(file):\(section.line)"
    if let flaw = Reminder.flaw(ofName: name, .alarm) {
      throw Fault(
        place, "[\(section.name.excerpt)]: the name cannot be used: \(flaw); choose another")
    }
    if sections.contains(where: { $0.name == name }) { return }
    guard sections.count < Reminders.mostAlarms else {
      throw Fault(place, "there are more than \(Reminders.mostAlarms) alarms; remove one")
    }
    sections.append(Section(name: name, place: place))
  }

  func plans() throws(Fault) -> [AlarmPlan] {
    try sections.map { section throws(Fault) in
      guard let time = section.time else {
        throw Fault(
          section.place, "[alarm \(section.name)] has no time; write one, as in time = 07:00")
      }
      var plan = AlarmPlan(name: section.name, AlarmTimes(time: time, days: section.days))
      (plan.tune, plan.rise) = (section.tune, section.rise)
      return plan
    }
  }
}

// MARK: Keys

extension ConfiguredAlarms {
  /// The keys of a section; nil if it is not an alarm's.
  static func keys(of section: String) -> [String: SettingKey<Configuration>]? {
    guard let name = name(of: section) else { return nil }
    return keys.mapValues { key in
      SettingKey(usual: key.usual, key.allowed) { configuration, value in
        let index = configuration.alarmSections.sections.firstIndex { $0.name == name }
        return index.flatMap { key.take(&configuration.alarmSections.sections[$0], value) }
      }.among(key.choices).settable(key.settable)
    }
  }

  /// As in `alarm school`, in the order in which they came.
  var names: [String] { sections.map { "alarm \($0.name)" } }

  private static let keys: [String: SettingKey<Section>] = [
    "time": SettingKey(\.time, "a time of day, as 07:00") { try TimeOfDay(text: $0) },
    "days": SettingKey(\.days, usual: "mon-sun", "days of the week, as mon-fri or mon-wed, sat") {
      try AlarmDays(weekdays: $0)
    },
    "tune": SettingKey(\.tune, usual: "none", "none, a tune's name, or the full path of its file") {
      value in
      // Accept a missing tune: a clock that does not start rings no alarm at all. The service and
      // `check` report the missing tune.
      let tune = RelativePath(value) == nil ? try? Sounds.tune(value) : nil
      return value.isEmpty ? nil : .some(value == "none" ? nil : tune ?? .missing(value))
    }.among { _ in ["none"] + Sounds.tuneNames() }.settable(.choices),
    "rise": SettingKey(
      \.rise, usual: "none",
      "none, or how long it takes, as 5min, or from a level, as -30dB 5min"
    ) { try AlarmRise.rise(text: $0) },
  ]
}
