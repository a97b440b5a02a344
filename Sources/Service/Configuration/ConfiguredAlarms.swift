import Basics
import Horology
import Sound

/// The sections `[alarm NAME]`. A later file overrides an earlier one, key by key.
struct ConfiguredAlarms: Sendable {
  private struct Section: Sendable {
    /// File and line where it first appears.
    let place: String
    var plan: AlarmPlan
    /// The keys that a file has.
    var given: Set<String> = []

    var name: String { plan.name ?? "" }
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
    sections.append(Section(place: place, plan: Self.usual(name)))
  }

  func plans() throws(Fault) -> [AlarmPlan] {
    try sections.map { section throws(Fault) in
      guard section.given.contains(TimeOfDay.key.name) else {
        throw Fault(
          section.place, "[alarm \(section.name)] has no time; write one, as in time = 07:00")
      }
      var plan = section.plan
      // Accept a missing tune: a clock that does not start rings no alarm at all. The service and
      // `check` report the missing tune.
      if let name = plan.tune?.name, RelativePath(name) == nil, let tune = try? Sounds.tune(name) {
        plan.tune = tune
      }
      return plan
    }
  }

  /// What a section is without a key.
  private static func usual(_ name: String? = nil) -> AlarmPlan {
    AlarmPlan(name: name, AlarmTimes(days: .weekly(Set(Weekday.allCases))))
  }
}

// MARK: Keys

extension ConfiguredAlarms {
  /// The keys of a section; nil if it is not an alarm's.
  static func keys(of section: String) -> [String: Field<Configuration>]? {
    guard let name = name(of: section) else { return nil }
    let keys = AlarmPlan.fieldsOfSection.map { ($0.name, key($0, of: name)) }
    return Dictionary(uniqueKeysWithValues: keys)
  }

  private static func key(
    _ field: Field<AlarmPlan>, of name: String
  ) -> Field<Configuration> {
    let key = Field<Configuration>(
      of: field, value: { _ in field.value(usual()) },
      parse: { configuration, text in
        let sections = configuration.alarmSections.sections
        guard let index = sections.firstIndex(where: { $0.name == name }) else { return true }
        configuration.alarmSections.sections[index].given.insert(field.name)
        return try field.parse(&configuration.alarmSections.sections[index].plan, text)
      })
    return field.name == Tune.key.name ? key.oneOf { _ in ["none"] + Sounds.tuneNames() } : key
  }

  /// As in `alarm school`, in the order in which they came.
  var names: [String] { sections.map { "alarm \($0.name)" } }
}
