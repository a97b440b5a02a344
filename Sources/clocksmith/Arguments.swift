import Basics
import Devices
import Horology
import Service
import Sound

/// Local time; without a date it is the next such time.
let timeForm = "[YYYY-MM-DDT]HH:MM[:SS]"

func timeOfDay(_ text: String) throws -> TimeOfDay {
  do throws(TextFlaw) {
    return try TimeOfDay(text: text)
  } catch {
    throw Misuse(description: error.description)
  }
}

/// The next instant at which the clocks of a zone show a time of day, as in `07:00` or `07:00:30`; nil if
/// the text is none.
func next(_ text: String, after instant: Instant, in zone: some Zone) -> Instant? {
  let timeOfDay = (try? TimeOfDay(text: text))?.description ?? text
  // Clocks may be put forward over it on one of these days.
  return (0...2).lazy.compactMap { days in
    let day = zone.civil(at: instant + .seconds(days * 86_400)).dateTime.date
    return CivilDateTime(text: "\(day)T\(timeOfDay)").flatMap { zone.instants(of: $0).first }
  }.first { $0 > instant }
}

/// The zone of the service; this program's, if no zone here has that name, as when `TZ` describes one.
func zoneOfService(_ name: String) throws(Fault) -> SystemZone {
  if let zone = try? SystemZone(name: name) { return zone }
  return try SystemZone.current()
}

extension Arguments {
  func zone(or configuration: Configuration) throws -> SystemZone {
    guard let name = self["zone"] else { return try configuration.currentZone() }
    do throws(Fault) {
      return try SystemZone(name: name)
    } catch {
      throw Misuse(description: "--\(error)")
    }
  }

  /// The instant that an option names by local time: the first if it comes twice; without a date, the
  /// next after `now`.
  func instant(
    _ option: String, in zone: some Zone, after now: Instant = SystemClock.now.instant
  ) throws -> Instant? {
    guard let text = self[option] else { return nil }
    if let instant = next(text, after: now, in: zone) { return instant }
    guard let time = CivilDateTime(text: text) else {
      throw Misuse(
        description: "--\(option) '\(text.shortened)' is no date and time; write \(timeForm), "
          + "from 1970 to 2200")
    }
    guard let instant = zone.instants(of: time).first else {
      throw Misuse(
        description: "--\(option) \(text) does not exist in \(zone.name): clocks are put forward "
          + "over it; choose another time")
    }
    return instant
  }
}

extension Arguments {
  /// - Parameter inPlace: true if a person listens to it while it is written.
  func soundFile(inPlace: Bool = false) throws -> String? {
    guard let path = self["output"] else { return nil }
    if let flaw = SoundFileWriter.flaw(ofPath: path, inPlace: inPlace) {
      throw Misuse(description: "--output '\(path)': \(flaw)")
    }
    return path
  }

  func path(_ option: String) throws -> String? {
    guard let path = self[option] else { return nil }
    if let flaw = flaw(ofOutputName: path) {
      throw Misuse(description: "--\(option) '\(path)': \(flaw)")
    }
    return path
  }

  func picture() throws -> String? {
    guard let path = try path("picture") else { return nil }
    guard path.hasPrefix("/dev/") || path.hasSuffix(".svg") || isSpecialFile(path) else {
      throw Misuse(
        description: "--picture '\(path)': it is drawn as SVG; give it a name that ends in .svg")
    }
    return path
  }

  func folder() throws -> String? { try path("output").map { withoutSlash($0) } }
}

/// What the first word of a command can ask for, as `list` in `timer list`.
struct Action {
  var words = 0...0
  var options: Set<String> = []
  /// What follows it, for an error.
  var wants = ""
}

extension Arguments {
  /// The first word, and those behind it, once they and the options fit the action that it names.
  /// - Parameters:
  ///   - wants: what the first word may be, for an error.
  ///   - usual: the action of a first word that begins with no letter, as a length, and its name.
  func action(
    of command: String, _ actions: [String: Action], wants: String,
    usual: (name: String, action: Action)? = nil
  ) throws -> (first: String, others: [String]) {
    let hint = "see 'clocksmith \(command) --help'"
    guard let first = operands.first else {
      throw Misuse(description: "\(command) wants \(wants); \(hint)")
    }
    if let usual, first.first?.isLetter != true {
      try refuse(allBut: usual.action.options, of: usual.name)
      // The words of a length or a time may stand apart, as in `10 min` or `7:00 AM`.
      return (operands.joined(separator: " "), [])
    }
    guard let action = actions[first] else {
      let near = nearest(to: first, of: actions.keys.sorted())
      throw Misuse(
        description: "\(command) wants \(wants), not '\(first.shortened)'\(near); \(hint)")
    }
    let name = "'\(command) \(first)'"
    try refuse(allBut: action.options, of: name)
    let others = Array(operands.dropFirst())
    guard others.count >= action.words.lowerBound else {
      throw Misuse(description: "\(name) wants \(action.wants)")
    }
    guard others.count <= action.words.upperBound else {
      let word = others[action.words.upperBound]
      throw Misuse(description: "unexpected '\(word.shortened)'; \(hint)")
    }
    return (first, others)
  }
}
