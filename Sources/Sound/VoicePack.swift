import Basics
@preconcurrency import Glibc
import Horology

/// A folder of clips and the file `voice.conf` that says how they make a spoken time.
public struct VoicePack {
  public struct Clip: Hashable {
    public let name: String
    public let sound: StoredSound
    /// What it says, for a reader.
    public let text: String

    public var path: String { sound.path }
  }

  public let path: String
  public let language: String
  public let description: String
  /// The file in the folder that holds the licence.
  public let licence: String
  /// How clips join. Positive: the length by which they overlap, in an equal-power crossfade.
  /// Negative: the length of the silence between them.
  public let overlap: Duration

  let grammars: [HourFormat: [String: Grammar]]
  let dayParts: DayParts
  /// The names of the clips that open a sentence, as in "it is"; may be empty.
  let opening: [String]
  let timers: TimerGrammar
  /// The clips that have a file, by name.
  var clips: [String: Clip]
  /// In the order of their names. A phrase that needs one is not said.
  public let clipsWithoutFile: [String]
  /// Names that stand for several clips, as 21 for "twenty" and "one".
  let chains: [String: [String]]
  /// How chains are written that are not written as the words of their clips: "twenty-one".
  let spellings: [String: String]

  /// Every clip that has a file, in the order of their names.
  public var sortedClips: [Clip] { clips.values.sorted { $0.name < $1.name } }

  public func without(_ names: Set<String>) -> VoicePack {
    var pack = self
    pack.clips = clips.filter { !names.contains($0.key) }
    return pack
  }

  public var licencePath: String { "\(path)/\(licence)" }

  /// Why the licence cannot go with the clips, with the remedy; nil if it can.
  public var licenceFlaw: String? {
    // A file in another folder would not go with them.
    let text = licence.contains("/") ? nil : try? readRegularFile(licencePath)
    if let text, text.contains(where: { isspace(Int32($0)) == 0 }) { return nil }
    return "its licence, '\(licence)' in \(path), is missing or empty; write into it who made the "
      + "voice, and what others may do with it"
  }

  /// The names of the clips and chains that say a time, whether or not they have a file; nil if
  /// there is no rule.
  private func links(_ time: CivilTime, _ wording: Wording) -> [String]? {
    grammars[wording.format]?[wording.style]?
      .phrase(hour: time.hour, minute: time.minute, dayParts: dayParts)
      .map { (wording.opens ? opening : []) + $0 }
  }

  private func names(_ time: CivilTime, _ wording: Wording) -> [String]? {
    links(time, wording).map(unchained)
  }

  func unchained(_ names: [String]) -> [String] { names.flatMap { chains[$0] ?? [$0] } }

  /// The words of clips and chains, for a reader. Leaves out clips that have no file.
  func written(_ names: [String]) -> String {
    names.map { name in
      spellings[name]
        ?? unchained([name]).compactMap { clips[$0]?.text }.joined(separator: " ")
    }.joined(separator: " ")
  }

  /// - Throws: `Fault` if the pack has no phrase for it, or lacks a clip.
  public func phrase(of time: CivilTime, wording: Wording) throws(Fault) -> [Clip] {
    let (place, told) = ("voice \(path)", "\(time.dateTime.timeOfDay.prefix(5)):00")
    guard let names = names(time, wording) else {
      let instead = shortestInterval(wording: wording).map { "; it can say \($0.times) only" } ?? ""
      throw Fault(
        place,
        "its \(wording.section) has no phrase for \(told)\(instead); record or import more "
          + "words, or choose another voice")
    }
    if let missing = names.first(where: { clips[$0] == nil }) {
      throw Fault(
        place,
        "no clip '\(missing)', which \(told) needs; put its file there, or take the rule out")
    }
    return names.compactMap { clips[$0] }
  }

  public func text(of time: CivilTime, wording: Wording) throws(Fault) -> String {
    _ = try phrase(of: time, wording: wording)
    return written(links(time, wording) ?? [])
  }

  public func score(of time: CivilTime, wording: Wording, rate: Int) throws(Fault) -> Score {
    try score(of: phrase(of: time, wording: wording), rate: rate)
  }

  /// An upper bound of its phrases of a time, in any of its styles and with its opening words: the
  /// lengths of the clips and the gaps between them, without the crossfades, which would shorten them.
  public var longestPhrase: Duration {
    let phrases = wordings.flatMap { wording in
      Interval.minute.timesOfDay.compactMap { names($0, wording) }
    }
    let opening = unchained(opening)
    return longest(phrases + phrases.map { opening + $0 })
  }

  /// As `longestPhrase`, of all that is said but times and the names that an owner gives.
  public var longestTimerPhrase: Duration {
    // With the same number for each unit, the longest number is there with all of them.
    let phrases = TimerPhrase.range + [.untrusted] + (1...59).map { .timer(.seconds($0 * 3661)) }
    return longest(phrases.compactMap { timers.names($0).map(unchained) })
  }

  private func longest(_ phrases: [[String]]) -> Duration {
    var seconds: [String: Double] = [:]
    for name in Set(phrases.joined()) {
      guard let clip = clips[name] else { continue }
      seconds[name] = try? clip.sound.seconds()
    }
    let gap = max(.zero - overlap, .zero).inSeconds
    let lengths = phrases.compactMap { names -> Double? in
      let words = names.compactMap { seconds[$0] }
      guard words.count == names.count else { return nil }
      return words.reduce(gap * Double(words.count - 1), +)
    }
    return .milliseconds(Int64(((lengths.max() ?? 0) * 1000).rounded(.up)))
  }

  /// Clips, one after the other, as a score whose anchor is its first frame.
  func score(of clips: [Clip], rate: Int) throws(Fault) -> Score {
    let overlapFrames = overlap.frames(atRate: rate)
    var lengths: [Int] = []
    for clip in clips {
      if let flaw = ClipFlaw.tooShort(seconds: try clip.sound.seconds()) {
        throw Fault("cannot use \(clip.path)", flaw)
      }
      lengths.append(try clip.sound.frames(atRate: rate))
    }
    // A crossfade takes no more than half of either clip.
    let joins = zip(lengths, lengths.dropFirst()).map { min(overlapFrames, $0 / 2, $1 / 2) }
    var parts: [Score.Part] = []
    var start = 0
    for (index, clip) in clips.enumerated() {
      let before = index == 0 ? 0 : joins[index - 1]
      let after = index < joins.count ? joins[index] : 0
      start -= before
      parts.append(
        Score.Part(
          clip.sound, start: start, frames: lengths[index],
          fadeIn: max(before, 0), fadeOut: max(after, 0), isTimed: index == 0,
          isWord: true, label: clip.text))
      start += lengths[index]
    }
    return Score(rate: rate, parts: parts, anchor: 0)
  }

  /// Checks that every multiple of `interval` can be said, and no two times alike.
  public func verify(every interval: Interval, wording: Wording) throws(Fault) {
    for time in interval.timesOfDay { _ = try phrase(of: time, wording: wording) }
    try refuseTimesAlike(wording)
  }

  /// - Throws: `Fault` if two times of day are said alike.
  public func refuseTimesAlike(_ wording: Wording) throws(Fault) {
    guard let flaw = timesAlike(wording) else { return }
    throw Fault("\(path)/voice.conf", "\(flaw); give each time words of its own")
  }

  /// The first time of day that is said like another, in a sentence; nil if there is none. On the
  /// 12-hour clock, times half a day apart may be said alike. People may ask for any minute.
  public func timesAlike(_ wording: Wording) -> String? {
    let half = wording.format == .twelve ? 720 : 1440
    var said: [[String]: CivilTime] = [:]
    for time in Interval.minute.timesOfDay {
      guard let names = names(time, wording), hasClips(names) else { continue }
      let other = said[names, default: time]
      said[names] = other
      if other.minuteOfDay % half != time.minuteOfDay % half {
        let texts = [time, other].map { $0.dateTime.timeOfDay.prefix(5) }
        return "\(wording.section) says \(texts[0]) as it says \(texts[1])"
      }
    }
    return nil
  }

  /// The shortest interval every multiple of which can be said; nil if not even the full hours can.
  public func shortestInterval(wording: Wording) -> Interval? {
    (1...60).lazy.compactMap { Interval(minutes: $0) }.first { interval in
      interval.timesOfDay.allSatisfy { canSay($0, wording) }
    }
  }

  private func canSay(_ time: CivilTime, _ wording: Wording) -> Bool {
    names(time, wording).map(hasClips) ?? false
  }

  private func hasClips(_ names: [String]) -> Bool { names.allSatisfy { clips[$0] != nil } }

  /// None if the time has no rule.
  public func clipsMissing(for time: CivilTime, _ wording: Wording) -> [String] {
    (names(time, wording) ?? []).filter { clips[$0] == nil }
  }
}

extension Interval {
  public static let minute = Interval(minutes: 1)!

  /// Its multiples in a day.
  public var timesOfDay: [CivilTime] {
    stride(from: 0, to: 1440, by: minutes).map { CivilTime(hour: $0 / 60, minute: $0 % 60)! }
  }

  /// The times of day that are its multiples, in words.
  public var times: String {
    switch minutes {
    case 1: "every minute of the day"
    case 15: "the quarters of an hour"
    case 60: "the full hours"
    default: "every \(minutes) minutes"
    }
  }
}

/// The styles of a voice: the ways in which it puts a time into words.
extension VoicePack {
  /// Every wording that it has rules for, without opening words, grouped by clock.
  public var wordings: [Wording] {
    HourFormat.allCases.flatMap { format in
      styles(format).map { Wording(format, style: $0) }
    }
  }

  /// The digital one comes first.
  public func styles(_ format: HourFormat) -> [String] {
    let styles = (grammars[format] ?? [:]).keys.sorted()
    return styles.filter { $0 == Wording.digital } + styles.filter { $0 != Wording.digital }
  }

  /// The clocks that it has rules for, in any style.
  public var formats: [HourFormat] {
    HourFormat.allCases.filter { !styles($0).isEmpty }
  }

  public var hasOpening: Bool { !opening.isEmpty }

  /// Why it cannot speak by this clock in this style; nil if it can.
  public func flaw(ofStyle wording: Wording) -> String? {
    if styles(wording.format).contains(wording.style) { return nil }
    let clocks = formats.map { format in
      "\(styles(format).joined(separator: ", ")) for clock = \(format.rawValue)"
    }
    let there = clocks.isEmpty ? "nothing" : clocks.joined(separator: ", and ")
    return "the voice \(path) has no style '\(wording.style.excerpt)' for "
      + "clock = \(wording.format.rawValue): it has \(there); set one of these, or another voice"
  }

  public var flawOfOpening: String? {
    hasOpening
      ? nil
      : "the voice \(path) has no words for it ('opening' in its voice.conf); "
        + "set say_it_is = no, or another voice"
  }
}

extension Wording {
  private var suffix: String { style == Wording.digital ? "" : " \(style)" }

  /// The section of `voice.conf` that has its rules.
  public var section: String { "[clock \(format.rawValue)\(suffix)]" }

  public var name: String { "\(format.rawValue) hours\(suffix)" }
}

extension VoicePack {
  /// The clips that say a phrase of a timer or an interval; nil if the pack cannot say it. Then the
  /// signal sounds alone.
  public func phrase(of phrase: TimerPhrase) -> [Clip]? {
    if case .name(let name) = phrase { return clips(saying: name) }
    guard let names = timers.names(phrase).map(unchained) else { return nil }
    let found = names.compactMap { clips[$0] }
    return found.count == names.count && !found.isEmpty ? found : nil
  }

  public func text(of phrase: TimerPhrase) -> String? {
    guard let clips = self.phrase(of: phrase) else { return nil }
    return timers.names(phrase).map(written) ?? clips.map(\.text).joined(separator: " ")
  }

  /// One clip that says all of a text, or else one for each of its words; nil if there are none.
  private func clips(saying text: String) -> [Clip]? {
    let words = text.lowercased().split(whereSeparator: \.isWhitespace)
    guard !words.isEmpty else { return nil }
    // If several clips have the same text, always take the same one.
    let texts = Dictionary(
      sortedClips.map { ($0.text.lowercased(), $0) }, uniquingKeysWith: { $1 })
    if let whole = texts[words.joined(separator: " ")] { return [whole] }
    let found = words.compactMap { texts[String($0)] }
    return found.count == words.count ? found : nil
  }

  public var hasTimers: Bool { !timers.isEmpty }

  /// None if the phrase has no rule.
  public func clipsMissing(for phrase: TimerPhrase) -> [String] {
    (timers.names(phrase).map(unchained) ?? []).filter { clips[$0] == nil }
  }

  public var phrasesUnsaid: [TimerPhrase] {
    TimerPhrase.range.filter { phrase(of: $0) == nil }
  }

  public var timersText: String {
    let unsaid = phrasesUnsaid
    guard let first = unsaid.first else { return "says timers and intervals" }
    if unsaid.count == TimerPhrase.range.count {
      return "has no words of timers, which give a signal alone"
    }
    let more = unsaid.count > 1 ? " and \(unsaid.count - 1) phrases more" : ""
    return "has no words of timers for '\(first.text)'\(more), for which a signal sounds alone"
  }
}
