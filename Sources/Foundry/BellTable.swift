import Basics

/// The pitch of the bells.
public enum Tuning: String, CaseIterable, Sendable {
  /// As the bells of the Great Clock were measured.
  case authentic
  /// Scaled by the strike note to equal temperament with A at 440 Hz.
  case concert
}

/// The bells of the file `bells.ini`, which explains its keys.
public struct BellTable: Sendable {
  /// In the order of the file.
  public let bells: [Bell]

  /// Reads the file at `path`, and tunes its bells.
  /// - Throws: `Fault` with file and line for anything in it that is unknown, wrong or missing.
  public init(path: String, tuning: Tuning) throws(Fault) {
    let file = try INIFile(path: path)
    try file.refuseSections("there is [bell NAME]") { !$0.hasPrefix("bell ") }
    var drafts: [Draft] = []
    for entry in file.entries {
      let place = "\(path):\(entry.line)"
      let name = String(entry.section.dropFirst("bell ".count))
      if drafts.last?.name != name {
        guard !drafts.contains(where: { $0.name == name }) else {
          throw Fault(place, "bell '\(name)' is there twice")
        }
        guard !name.isEmpty, name.utf8.allSatisfy(Draft.isNameByte) else {
          throw Fault(place, "a bell's name is made of letters, digits and #")
        }
        drafts.append(Draft(name: name))
      }
      try drafts[drafts.count - 1].take(entry, place)
    }
    // The bells as measured, from which others are scaled.
    var measured: [String: Bell] = [:]
    var bells: [Bell] = []
    for draft in drafts {
      let bell = try draft.bell(measured: measured, path)
      if draft.from == nil { measured[draft.name] = bell }
      bells.append(tuning == .authentic ? bell : bell.tuned(to: try draft.value("concert", path)))
    }
    self.bells = bells
  }
}

extension Bell {
  fileprivate func tuned(to strike: Double) -> Bell {
    Bell(
      name: name, strike: strike, level: level, attack: attack, seconds: seconds,
      seeds: seeds, partials: partials(scaledTo: strike))
  }
}

/// A bell while it is read.
private struct Draft {
  let name: String
  var from: String?
  private var numbers: [String: Double] = [:]
  private var seeds: [UInt64] = []
  private var partials: [Bell.Partial] = []

  init(name: String) {
    self.name = name
  }

  /// The keys that hold one number, and its range.
  private static let ranges: [String: ClosedRange<Double>] = [
    "strike": 20...10_000, "concert": 20...10_000, "level": -60...0, "attack": 0.001...1,
    "seconds": 3...60,
  ]

  static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "#"):
      true
    default: false
    }
  }

  mutating func take(_ entry: INIFile.Entry, _ place: String) throws(Fault) {
    if let range = Self.ranges[entry.key] {
      guard let number = Double(entry.value), range.contains(number) else {
        throw Fault(
          place,
          "\(entry.key) = \(entry.value) is not a number from \(range.lowerBound) to "
            + "\(range.upperBound)")
      }
      numbers[entry.key] = number
      return
    }
    let words = entry.value.split(whereSeparator: \.isWhitespace)
    switch entry.key {
    case "from":
      from = entry.value
    case "seeds":
      seeds = words.compactMap { UInt64($0) }
      guard !seeds.isEmpty, seeds.count == words.count else {
        throw Fault(place, "seeds = \(entry.value) is not one whole number or several")
      }
    case "partial":
      let figures = words.compactMap { Double($0) }
      guard words.count == 3, figures.count == 3, (10...20_000).contains(figures[0]),
        (0.1...200).contains(figures[1]), (-80...0).contains(figures[2])
      else {
        throw Fault(
          place, "partial = \(entry.value) is not Hz, seconds and decibels, as in '97.04 60 -39'")
      }
      partials.append(Bell.Partial(frequency: figures[0], t60: figures[1], level: figures[2]))
    default:
      throw Fault(
        place,
        "unknown key '\(entry.key)'; there are strike, concert, level, attack, seconds, seeds, "
          + "partial, from")
    }
  }

  func value(_ key: String, _ path: String) throws(Fault) -> Double {
    guard let number = numbers[key] else { throw Fault(path, "no '\(key)' in [bell \(name)]") }
    return number
  }

  /// The bell as the file describes it.
  func bell(measured: [String: Bell], _ path: String) throws(Fault) -> Bell {
    let strike = try value("strike", path)
    var partials = partials
    if let from {
      guard let model = measured[from], partials.isEmpty else {
        throw Fault(
          path, "[bell \(name)] is from '\(from)', which is no bell with partials above it")
      }
      partials = model.partials(scaledTo: strike)
    }
    guard !partials.isEmpty, !seeds.isEmpty else {
      throw Fault(path, "[bell \(name)] has no \(seeds.isEmpty ? "seeds" : "partials")")
    }
    return Bell(
      name: name, strike: strike, level: try value("level", path),
      attack: try value("attack", path), seconds: try value("seconds", path), seeds: seeds,
      partials: partials)
  }
}
