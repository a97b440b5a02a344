import Horology

/// The owner's configuration as the judge reads it. The product gets the same as settings
/// (WorldSettings.swift).
struct OwnerRules: Hashable {
  /// Minutes.
  var interval = 15
  var quiet: [Window] = []
  var quieter: [Level] = []
  var chime: Melody? = .westminster
  var chimeQuarters: Melody?
  var voiceAtHour = VoiceAtHour.after
  var lateLimit = 10 * second
  var leadIn = 400 * millisecond
  /// From the converter to the ear; everything leaves the converter earlier by this much.
  var latencyOffset: Int64 = 0
  var untrusted = UntrustedPolicy.silent
  var whenLost = LostSwitchPolicy.mute
  var silences = SwitchScope.everything
  var atStop = AtStop.fade
  var ringLimit = 900 * second
  var tellsLeft: Set<TellsLeft> = []
  var alarms: [Alarm] = []

  /// A stretch of local time on some days.
  struct Window: Hashable {
    /// The weekdays on which it begins, Sunday is 0: from the first to the last, round the week.
    let firstDay: Int
    let lastDay: Int
    /// Minutes since midnight.
    let from: Int
    let to: Int

    func contains(_ time: WallClock.Reading) -> Bool {
      let minuteOfWeek = time.weekday * 1440 + time.minuteOfDay
      let length = from < to ? to - from : to + 1440 - from
      let days = (lastDay - firstDay + 7) % 7
      return (0...days).contains { number in
        let begins = (firstDay + number) % 7 * 1440 + from
        return (minuteOfWeek - begins + 7 * 1440) % (7 * 1440) < length
      }
    }

    var text: String {
      let names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
      return "\(names[firstDay])-\(names[lastDay]) \(Self.clock(from))-\(Self.clock(to))"
    }

    private static func clock(_ minutes: Int) -> String {
      let (hour, minute) = (minutes / 60, minutes % 60)
      return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
  }

  /// The volume in a stretch of time.
  struct Level: Hashable {
    let window: Window
    let decibels: Int
  }

  /// A tune.
  struct Melody: Hashable {
    /// How often a bell strikes: one to twelve as the hour, or one to eight as a ship's watch.
    enum Count { case hour, watch }

    let name: String
    /// By the quarter of the hour, from 0.
    let parts: [Int: Part]

    struct Part: Hashable {
      /// From the first note.
      let notes: [Int64]
      let lead: Int64
      let strikes: Count?
      let gap: Int64
      let rest: Int64

      /// From the anchor.
      func blows(_ time: WallClock.Reading) -> [Int64] {
        let melody = notes.map { $0 - lead }
        let hour = time.minuteOfDay / 60 % 12
        let bells = time.minuteOfDay % 240 / 30
        return switch strikes {
        case nil: melody
        case .hour: melody + (0..<Int64(hour == 0 ? 12 : hour)).map { $0 * gap }
        case .watch: melody + (0..<Int64(bells == 0 ? 8 : bells)).map { $0 * gap }
        }
      }
    }
  }

  /// What is to be heard at an occasion.
  struct Piece: Hashable {
    /// From the anchor.
    var blows: [Int64] = []
    var words = Words.none

    enum Words: Hashable {
      case none
      case at(Int64)
      /// The last word ends this long before the first blow.
      case before(Int64)
    }

    static let wordsAlone = Piece(blows: [], words: .at(0))

    /// How long before the anchor it begins, at most.
    var lead: Int64 {
      let melody = max(0, -(blows.first ?? 0))
      if case .before(let gap) = words { return melody + gap + 5 * second }
      return melody
    }
  }
}

// MARK: What the judge reckons

extension OwnerRules {
  func isOccasion(_ time: WallClock.Reading) -> Bool {
    time.second == 0 && time.minuteOfDay % interval == 0
  }

  func isQuiet(_ time: WallClock.Reading) -> Bool { quiet.contains { $0.contains(time) } }

  func decibels(_ time: WallClock.Reading) -> Double {
    Double(quieter.filter { $0.window.contains(time) }.map(\.decibels).min() ?? 0)
  }

  /// The piece of an occasion at `time`. It is empty if nothing is to be heard.
  func piece(_ time: WallClock.Reading, isTrusted: Bool) -> Piece {
    let isHour = time.minuteOfDay % 60 == 0
    let speaks = (!isHour || voiceAtHour != .none) && (isTrusted || untrusted != .chime)
    guard let part = part(time) else { return speaks ? .wordsAlone : Piece() }
    let blows = part.blows(time)
    let end = (blows.last ?? 0) + part.rest
    if !speaks { return Piece(blows: blows) }
    let isBefore = isHour && voiceAtHour == .before
    return Piece(blows: blows, words: isBefore ? .before(second) : .at(end))
  }

  private func part(_ time: WallClock.Reading) -> Melody.Part? {
    let tune = time.minuteOfDay % 60 == 0 ? chime : chimeQuarters
    return time.minuteOfDay % 15 == 0 ? tune?.parts[time.minuteOfDay % 60 / 15] : nil
  }

  /// True if the clock may sound by itself with this trust.
  func allows(_ trust: ClockTrust, at time: WallClock.Reading) -> Bool {
    if trust != .untrusted { return true }
    return untrusted == .speak || (untrusted == .chime && part(time) != nil)
  }

  /// True if a person who asks is answered with this trust.
  func answers(_ trust: ClockTrust) -> Bool {
    trust != .untrusted || untrusted == .ask || untrusted == .speak
  }

  /// A sound can begin this long from now at the earliest.
  var lead: Int64 { max(leadIn, 400 * millisecond) + max(latencyOffset, 0) }
}
