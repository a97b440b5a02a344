import Basics
import Horology

extension Tune {
  static let mostNotes = 200
  private static let quarters = ["hour": 0, "first": 1, "half": 2, "third": 3]

  /// - Throws: `Fault` with file and line for anything in it that is unknown or wrong.
  public init(path: String, name: String) throws(Fault) {
    let file = try INIFile(path: path)
    try file.refuseSections("there are tune, hour, first, half, third") {
      $0 != "tune" && Self.quarters[$0] == nil
    }
    var description: String?
    var drafts: [Int: Draft] = [:]
    var seen: Set<String> = []
    for entry in file.entries {
      let place = "\(path):\(entry.line)"
      // Only notes may continue in another line.
      guard entry.key == "notes" || seen.insert("\(entry.section).\(entry.key)").inserted else {
        throw Fault(place, "'\(entry.key.excerpt)' is set twice in [\(entry.section)]")
      }
      if entry.section == "tune" && entry.key == "description" {
        description = entry.value
      } else if let quarter = Self.quarters[entry.section] {
        try drafts[quarter, default: Draft(entry, place)].read(entry, place)
      } else {
        throw Fault(
          place,
          "unknown '\(entry.key.excerpt)' in [\(entry.section)]; there are [tune] with a description, "
            + "and [hour], [first], [half], [third]")
      }
    }
    guard let description else { throw Fault(path, "no 'description' in [tune]") }
    guard !drafts.isEmpty else { throw Fault(path, "no [hour], [first], [half] or [third]") }
    var movements: [Int: Movement] = [:]
    for (quarter, draft) in drafts.sorted(by: { $0.key < $1.key }) {
      movements[quarter] = try draft.movement()
    }
    self.init(name: name, description: description, movements: movements)
  }
}

private struct Draft {
  private let section: String
  /// File and line of its first key.
  private let place: String
  /// The words of all `notes` lines.
  private var notes: [String] = []
  private var notesPlace = ""
  private var lead = Duration.zero
  private var rest = Duration.seconds(2)
  private var bell: String?
  private var count: Tune.Count?
  private var gaps: [Duration] = []

  init(_ first: INIFile.Entry, _ place: String) {
    section = first.section
    self.place = place
  }

  mutating func read(_ entry: INIFile.Entry, _ place: String) throws(Fault) {
    let words = entry.value.split(whereSeparator: \.isWhitespace)
    switch entry.key {
    case "notes":
      notes += words.map(String.init)
      notesPlace = place
    case "lead":
      lead = try Self.duration(entry.value, upTo: 40, place)
    case "rest":
      rest = try Self.duration(entry.value, upTo: 30, place)
    case "strike":
      bell = entry.value
    case "count":
      count = Tune.Count(rawValue: entry.value)
      guard count != nil else {
        let allowed = Tune.Count.allCases.map(\.rawValue).joined(separator: ", ")
        throw Fault(place, "count = \(entry.value.excerpt): allowed: \(allowed)")
      }
    case "gaps":
      gaps = []
      for word in words { gaps.append(try Self.gap(word, place)) }
    default:
      throw Fault(
        place,
        "unknown key '\(entry.key.excerpt)'; there are notes, lead, strike, count, gaps, rest")
    }
  }

  /// Notes and, between them, the seconds from one to the next: `G#4 0.86 F#4 0.85 E4`.
  private static func melody(_ words: [String], _ place: String) throws(Fault) -> [Blow] {
    guard words.count < 2 * Tune.mostNotes else {
      throw Fault(place, "\((words.count + 1) / 2) notes are no tune; at most \(Tune.mostNotes)")
    }
    guard words.count % 2 == 1 else {
      throw Fault(place, "notes are bells with seconds between them, for example 'G#4 0.86 F#4'")
    }
    var offset = Duration.zero
    var melody: [Blow] = []
    for (index, word) in words.enumerated() {
      if index % 2 == 0 {
        melody.append(Blow(bell: word, offset: offset))
      } else {
        offset += try gap(word[...], place)
      }
    }
    return melody
  }

  private static func gap(_ word: Substring, _ place: String) throws(Fault) -> Duration {
    guard let seconds = Double(word), (0.02...20).contains(seconds) else {
      throw Fault(
        place, "'\(word.excerpt)' is no gap: allowed are seconds from 0.02 to 20, for example 0.86")
    }
    return .milliseconds(Int64((seconds * 1000).rounded()))
  }

  private static func duration(
    _ text: String, upTo most: Int64, _ place: String
  ) throws(Fault) -> Duration {
    guard let duration = Duration(text: text), .zero <= duration, duration <= .seconds(most) else {
      throw Fault(
        place, "'\(text.excerpt)' is not a duration from 0s to \(most)s, like 23s or 500ms")
    }
    return duration
  }

  func movement() throws(Fault) -> Tune.Movement {
    let strikes = try strikes()
    let melody = notes.isEmpty ? [] : try Self.melody(notes, notesPlace)
    guard strikes != nil || !melody.isEmpty else {
      throw Fault(place, "[\(section)] has neither 'notes' nor 'strike'")
    }
    return Tune.Movement(melody: melody, lead: lead, strikes: strikes, rest: rest)
  }

  private func strikes() throws(Fault) -> Tune.Strikes? {
    guard let bell else { return nil }
    guard let count, !gaps.isEmpty else {
      throw Fault(place, "'strike' needs 'count' and 'gaps' in its section")
    }
    return Tune.Strikes(bell: bell, count: count, gaps: gaps)
  }
}
