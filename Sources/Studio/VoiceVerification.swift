import Basics
import Horology
import Sound

/// What a voice pack can say, and where it misses the quality targets (facts: voices).
public struct VoiceVerification {
  public struct Finding: Hashable, Sendable {
    public let clip: String
    public let words: String
  }

  /// Findings about clips, in the order of their names.
  public let findings: [Finding]
  /// One sentence for each clip that a rule needs but that is not in `[clips]`, and for times and
  /// phrases of timers that are said like another.
  public private(set) var brokenRules: [String] = []
  /// Why the crossfade cannot be as long as it is set; nil if it can.
  public let crossfade: String?
  /// For each clock and style that has rules, the shortest interval that the pack can say with the
  /// clips that can be used; nil if it cannot even say the full hours.
  public let coverage: [(wording: Wording, interval: Interval?)]

  /// Which phrases of timers and intervals it can say with these clips, for a reader.
  public let timers: String

  private static let longestBefore = 0.015
  private static let longestAfter = 0.040
  private static let mostDC = 0.001
  private static let highestPeak = -1.0
  private static let loudnessTolerance = 1.0

  public init(of pack: VoicePack) {
    var found: [Finding] = []
    // A clip in `[clips]` without a file is a finding.
    var named = Set(pack.clipsWithoutFile)
    for wording in pack.wordings {
      var opening = wording
      opening.opens = pack.hasOpening
      for time in Interval.minute.timesOfDay {
        let missing = pack.clipsMissing(for: time, opening)
        brokenRules += Self.lacking(missing, time.dateTime.timeOfDay, &named)
      }
      if let sentence = pack.timesAlike(wording) { brokenRules.append(sentence) }
    }
    for phrase in TimerPhrase.range {
      brokenRules += Self.lacking(pack.clipsMissing(for: phrase), "'\(phrase.text)'", &named)
    }
    var loudness: [(clip: String, momentary: Double)] = []
    let (bad, crossfade) = pack.readClips { clip, word throws(Fault) in
      let measured = try Loudness(of: word.samples, rate: word.rate)
      loudness.append((clip.name, measured.momentary))
      found += Self.faults(word, measured).map { Finding(clip: clip.name, words: $0) }
    }
    self.crossfade = crossfade
    found += bad.map {
      Finding(clip: $0.clip.name, words: $0.flaw ?? $0.fault.description)
    }
    let unusable = Set(bad.map(\.clip.name))
    let usable = pack.without(unusable)
    coverage = pack.wordings.map { ($0, usable.shortestInterval(wording: $0)) }
    timers = usable.timersText
    found += pack.clipsWithoutFile.map {
      Finding(clip: $0, words: "it has no file; record it, or take it out of voice.conf")
    }
    found += Self.uneven(loudness)
    findings = found.sorted { ($0.clip, $0.words) < ($1.clip, $1.words) }
  }

  /// A sentence for each of these clips that is not in `named`; they are added to it.
  private static func lacking(
    _ missing: [String], _ need: String, _ named: inout Set<String>
  ) -> [String] {
    missing.filter { named.insert($0).inserted }.map {
      "no clip '\($0)', which \(need) needs; record it, or take the rule out"
    }
  }

  static func faults(_ recording: Recording, _ loudness: Loudness) -> [String] {
    var faults: [String] = []
    let (before, after) = recording.silence
    if before > longestBefore {
      faults.append("\(milliseconds(before)) ms of silence before it, more than 15; trim it")
    }
    if after > longestAfter {
      faults.append("\(milliseconds(after)) ms of silence after it, more than 40; trim it")
    }
    if recording.dc.magnitude >= mostDC {
      faults.append(
        "\((recording.dc * 100).text(decimals: 2)) % of DC, not under 0.1 %; take its mean out")
    }
    if loudness.truePeak > highestPeak {
      let peak = loudness.truePeak.text(decimals: 1, .up)
      faults.append("it peaks at \(peak) dBTP, over -1; make the whole pack lower")
    }
    if let run = recording.clippedRun {
      faults.append("\(run) samples in a row at full scale: clipped; record it again")
    }
    return faults
  }

  /// The clips that stand out of the pack: those outside the range, twice the tolerance wide, that
  /// holds the most clips. One outlier does not make the others fail.
  static func uneven(_ loudness: [(clip: String, momentary: Double)]) -> [Finding] {
    let sorted = loudness.map(\.momentary).filter(\.isFinite).sorted()
    let ranges = sorted.indices.map { first in
      sorted[first...].prefix { $0 - sorted[first] <= 2 * loudnessTolerance }
    }
    guard let range = ranges.max(by: { $0.count < $1.count }), let softest = range.first,
      let loudest = range.last
    else { return [] }
    let level = (softest + loudest) / 2
    return loudness.compactMap { clip, momentary in
      let difference = momentary - level
      guard !(softest...loudest).contains(momentary) else { return nil }
      let direction = difference > 0 ? "louder" : "softer"
      return Finding(
        clip: clip,
        words: "\(difference.magnitude.text(decimals: 1, .up)) LU \(direction) than the pack "
          + "(\(momentary.text(decimals: 1)) against \(level.text(decimals: 1)) LUFS), more than 1; "
          + "level it")
    }
  }

  private static func milliseconds(_ seconds: Double) -> String {
    (seconds * 1000).text(decimals: 0, .up)
  }
}

extension VoicePack {
  /// What keeps the clock from saying the right time, one sentence each: clips that are missing,
  /// torn, silent or far too short, and a crossfade that is too long for them.
  ///
  /// Reads every clip once. `VoiceVerification` also checks their quality.
  public func flaws() -> [String] {
    let (bad, crossfade) = readClips { _, _ in }
    return (filesMissing.map { [$0.description] } ?? [])
      + bad.map { bad in
        bad.flaw.map { "\(bad.clip.path): \($0)" } ?? bad.fault.description
      } + (crossfade.map { ["\(path)/voice.conf: \($0)"] } ?? [])
  }

  /// A clip that is no word.
  struct BadClip {
    let clip: Clip
    let fault: Fault
    /// Nil if it cannot be read.
    var flaw: String?
  }

  /// Reads every clip once, in the order of their names.
  /// - Parameter heard: called with each clip that is a word.
  /// - Returns: the other clips, and why the crossfade cannot be as long as it is set; nil if it
  ///   can.
  func readClips(
    _ heard: (Clip, Recording) throws(Fault) -> Void
  ) -> (bad: [BadClip], crossfade: String?) {
    var bad: [BadClip] = []
    var shortest: (name: String, seconds: Double)?
    for clip in sortedClips {
      do throws(Fault) {
        let file = try SoundFile(path: clip.path)
        var flaw = ClipFlaw.tooShort(seconds: file.seconds)
        let samples = flaw == nil ? try file.readChannels()[0] : []
        let word = Recording(samples: samples, rate: file.rate)
        flaw = flaw ?? file.silence
        if let flaw {
          bad.append(
            BadClip(clip: clip, fault: Fault("cannot use \(clip.path)", flaw), flaw: flaw))
          continue
        }
        if word.seconds < shortest?.seconds ?? .infinity { shortest = (clip.name, word.seconds) }
        try heard(clip, word)
      } catch {
        bad.append(BadClip(clip: clip, fault: error))
      }
    }
    return (bad, shortest.flatMap { crossfadeFlaw($0.name, .seconds($0.seconds)) })
  }

  /// A crossfade takes at most half of a clip, and then no part of the clip is heard by itself.
  private func crossfadeFlaw(_ clip: String, _ length: Duration) -> String? {
    guard overlap > .zero, overlap > length / 2 else { return nil }
    return "crossfade = \(overlap.nanoseconds / 1_000_000)ms is more than half of clip '\(clip)', "
      + "which takes \(length.nanoseconds / 1_000_000) ms, so that words run into each other; set "
      + "it to 20ms, say"
  }
}
