import Basics

/// One sounding of a bell.
public struct Blow: Hashable, Sendable {
  /// The name in the tune's file, as in `G#4`.
  public let bell: String
  /// From the anchor; negative before it.
  public let offset: Duration

  public init(bell: String, offset: Duration) {
    (self.bell, self.offset) = (bell, offset)
  }
}

/// What chimes: for each quarter a melody, and the blows that count the hour.
public struct Tune: Hashable, Sendable {
  /// How often a bell strikes after the melody.
  public enum Count: String, CaseIterable, Sendable {
    /// One to twelve, as the hour.
    case hour
    /// One to eight, as the half hours of a watch at sea.
    case watch

    func blows(at time: CivilTime) -> Int {
      switch self {
      case .hour: (time.hour + 11) % 12 + 1
      case .watch: (time.minuteOfDay / 30 + 7) % 8 + 1
      }
    }
  }

  /// The blows that count the hour or the watch.
  public struct Strikes: Hashable, Sendable {
    public let bell: String
    public let count: Count
    /// The gaps from one blow to the next, in turn; after the last, the first again.
    public let gaps: [Duration]

    public init(bell: String, count: Count, gaps: [Duration]) {
      (self.bell, self.count, self.gaps) = (bell, count, gaps)
    }
  }

  /// What sounds at one of the quarters.
  public struct Movement: Hashable, Sendable {
    /// The melody, by offset from its own first note.
    public let melody: [Blow]
    /// How long before the anchor the melody begins.
    public let lead: Duration
    /// From the anchor on.
    public let strikes: Strikes?
    /// From the last blow to the first word.
    public let rest: Duration

    public init(melody: [Blow], lead: Duration, strikes: Strikes?, rest: Duration) {
      (self.melody, self.lead, self.strikes, self.rest) = (melody, lead, strikes, rest)
    }

    /// In the order in which they sound: a melody may go on beside the strikes.
    func blows(at time: CivilTime) -> [Blow] {
      var blows = melody.map { Blow(bell: $0.bell, offset: $0.offset - lead) }
      guard let strikes else { return blows }
      var offset = Duration.zero
      for number in 0..<strikes.count.blows(at: time) {
        blows.append(Blow(bell: strikes.bell, offset: offset))
        offset += strikes.gaps[number % strikes.gaps.count]
      }
      return blows.sorted { $0.offset < $1.offset }
    }
  }

  public let name: String
  public let description: String
  /// By quarter; 0 is the hour. A missing quarter is silent.
  public let movements: [Int: Movement]

  public init(name: String, description: String, movements: [Int: Movement]) {
    (self.name, self.description, self.movements) = (name, description, movements)
  }

  /// Stands in for a tune whose file is not there: the signal rings, and the name is kept.
  public static func missing(_ name: String) -> Tune {
    Tune(name: name, description: "", movements: [:])
  }

  public var isMissing: Bool { movements.isEmpty }

  /// Only the name: whoever has the files finds the tune.
  public static let key = Key<Tune>.parsed(
    "tune", allowed: "the name of a tune", as: \.name
  ) { name in
    if name.isEmpty { throw TextFlaw.tune }
    return .missing(name)
  }

  /// The longest path, in bytes.
  private static let longestPath = 1024

  /// Why somebody may not give this name; nil if they may. The network must not choose which files are
  /// opened: a name is that of a file in the folder of tunes.
  @Sendable static func flaw(_ name: String, from giver: Giver) -> BadValue? {
    func flaw(_ allowed: String) -> BadValue {
      BadValue(key: key.name, value: .text(name), allowed: allowed)
    }
    if giver == .network {
      let isName = !name.contains("/") && name.utf8.count < 256
      return isName ? nil : flaw("the name of a tune, not a path")
    }
    if name.utf8.count > longestPath { return flaw("a path of at most \(longestPath) bytes") }
    return RelativePath(name).map { BadValue(key: key.name, because: $0.description) }
  }

  /// Every bell that it needs.
  public var bells: Set<String> {
    Set(movements.values.flatMap { $0.melody.map(\.bell) + [$0.strikes?.bell].compactMap { $0 } })
  }

  /// What sounds at `time`, if anything does.
  func movement(at time: CivilTime) -> Movement? {
    time.minute % 15 == 0 ? movements[time.minute / 15] : nil
  }

  /// As in `westminster and 3 blows`.
  public func inWords(at time: CivilTime) -> String {
    Self.inWords(name, strikes: strikes(at: time))
  }

  public static func inWords(_ name: String, strikes: Int) -> String {
    switch strikes {
    case 0: name
    case 1: "\(name) and 1 blow"
    case let count: "\(name) and \(count) blows"
    }
  }

  /// How many blows count at `time`; 0 where none do.
  public func strikes(at time: CivilTime) -> Int {
    movement(at: time)?.strikes?.count.blows(at: time) ?? 0
  }
}
