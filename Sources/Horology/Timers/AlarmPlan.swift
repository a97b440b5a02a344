import Basics

public struct AlarmPlan: Hashable, Sendable {
  public var name: String?
  public var times: AlarmTimes
  /// The tune that rings; nil for the timers' signal.
  public var tune: Tune?
  /// Nil if it begins at its full level.
  public var rise: AlarmRise?
  /// The line that is lit while it rings; nil for none.
  public var light: String?

  public init(name: String? = nil, _ times: AlarmTimes = AlarmTimes()) {
    (self.name, self.times) = (name, times)
  }

  private static let light = Key.text(
    "light", allowed: "a line, as GPIO17 or pinctrl-rp1:17", where: { !$0.isEmpty })

  public static let fields: [Field<Self>] = [
    Field(TimeOfDay.key, \.times.time).required,
    Field(AlarmDays.key, \.times.days)
      .option("DAYS", "ring every week on these days, as mon-fri or\nsat,sun"),
    Field(.name, \.name).option("NAME", "the name of the alarm, as in school"),
    Field(Tune.key, orNone: \.tune).refused(Tune.flaw)
      .option("TUNE", "ring with this tune (default: the signal of\ntimers)"),
    Field(AlarmRise.key, orNone: \.rise)
      .option("LENGTH", "begin 24 dB quieter, and reach the full volume\nafter this time, as 5min"),
    Field(light, orNone: \.light).given(by: .file),
  ]

  public var record: Record { Record(self, Self.fields) }

  /// What is true of each of its rings.
  public static let fieldsOfRing = fields.filter {
    ![TimeOfDay.key.name, AlarmDays.key.name].contains($0.name)
  }

  /// What is told of a ring besides its name and its tune, as in `rise 5min`.
  public static func details(_ record: Record) -> [String] {
    let told = [Key<String>.name.name, Tune.key.name]
    return fieldsOfRing.map(\.name).filter { !told.contains($0) }.compactMap { name in
      record[name]?.text.map { "\(name) \($0)" }
    }
  }

  /// Of the section of a file, which has the name. Its alarm repeats by the week.
  public static let fieldsOfSection = fields.compactMap { field -> Field<Self>? in
    switch field.name {
    case Key<String>.name.name: nil
    case AlarmDays.key.name: Field(AlarmDays.keyOfSection, \.times.days)
    default: field
    }
  }
}

public struct AlarmRise: Hashable, Sendable {
  /// Level at the start in dB, relative to the full level: less than 0, at least -60.
  public let decibels: Double
  public let length: Duration

  public static let usualDecibels = -24.0
  /// As long as the longest `ring_limit`.
  public static let longest = Duration.seconds(3600)

  /// Nil for a level that is not from -60 to below 0, or a length that is not above zero or above
  /// an hour.
  public init?(from decibels: Double = usualDecibels, over length: Duration) {
    guard -60 <= decibels, decibels < 0, Duration.zero < length, length <= Self.longest else {
      return nil
    }
    (self.decibels, self.length) = (decibels, length)
  }

  static let key = Key<AlarmRise>.parsed(
    "rise", allowed: "a length as 5min, or a level and a length as -30dB 5min",
    as: \.description, { try AlarmRise(text: $0) })

  /// Parses `5min` or `-30dB 5min`.
  public init(text: String) throws(TextFlaw) {
    let written = text.plain.lowercased()
    // The level ends with its unit.
    let level = written.first == "-" ? "\(written.prefix { $0 != "b" })b" : ""
    guard let decibels = level.isEmpty ? Self.usualDecibels : Decibels(text: level)?.value,
      let length = Duration(text: written.dropFirst(level.count)),
      let rise = AlarmRise(from: decibels, over: length)
    else { throw .rise(text) }
    self = rise
  }

  /// The level `span` after the ring began, in dB relative to the full level: at most 0.
  public func decibels(after span: Duration) -> Double {
    let part = span.inSeconds / length.inSeconds
    return decibels * (1 - min(max(part, 0), 1))
  }
}

extension AlarmRise: CustomStringConvertible {
  /// As `init(text:)` reads it: `5min`, or `-30dB 5min`.
  public var description: String {
    let whole = Int(decibels.rounded())
    let level = decibels == Double(whole) ? "\(whole)" : "\(decibels)"
    return (decibels == Self.usualDecibels ? "" : "\(level)dB ") + length.asWritten
  }
}

extension TextFlaw {
  private init(_ text: String, _ words: String) {
    self.init(description: "'\(text.shortened)' is \(words)")
  }

  static let tune = Self(
    description: "wants the name of a tune or the path of its file, or none")

  static func name(_ flaw: String) -> Self {
    Self(description: "cannot be used: \(flaw); choose another")
  }

  static func length(_ text: String) -> Self {
    Self(text, "no length; write one from 1s to 24h, as 30s, 90s or 1m30s")
  }

  static func time(_ text: String) -> Self {
    Self(text, "no time of day; write HH:MM, as in 07:00, from 00:00 to 23:59")
  }

  static func days(_ text: String) -> Self {
    Self(text, "not \(Weekday.rangeInWords); separate several by commas")
  }

  static func date(_ text: String) -> Self {
    Self(text, "no day; write it as 2026-12-24, up to \(CivilDate.years.upperBound)-12-31")
  }

  static func rise(_ text: String) -> Self {
    Self(
      text,
      "no rise; write how long it takes, up to 1h, as in 5min, or before it the level at which it "
        + "begins, as in -30dB 5min")
  }
}
