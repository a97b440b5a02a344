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
  public private(set) var findings: [Finding] = []
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
    // A clip in `[clips]` without a file is a finding.
    var named = Set(pack.clipsWithoutFile)
    for wording in pack.wordings {
      brokenRules += Self.lacking(pack, wording, &named)
      if let sentence = pack.timesAlike(wording) { brokenRules.append(sentence) }
    }
    brokenRules += Self.lackingTimers(pack, &named)
    if let sentence = pack.timersAlike { brokenRules.append(sentence) }
    crossfade = pack.crossfadeFlaw
    var loudness: [(clip: String, momentary: Double)] = []
    var unusable: Set<String> = []
    for name in pack.clipNames {
      guard let path = pack.clip(name)?.path else { continue }
      do throws(Fault) {
        let file = try SoundFile(path: path)
        if let flaw = ClipFlaw(seconds: file.seconds) {
          findings.append(Finding(clip: name, words: flaw.words))
          if flaw.hidesWord { unusable.insert(name) }
          continue
        }
        let recording = Recording(samples: try file.readChannels()[0], rate: file.rate)
        if let flaw = file.silence {
          findings.append(Finding(clip: name, words: flaw.words))
          unusable.insert(name)
          continue
        }
        let found = try Loudness(of: recording.samples, rate: recording.rate)
        loudness.append((name, found.momentary))
        findings += Self.faults(recording, found).map { Finding(clip: name, words: $0) }
      } catch {
        findings.append(Finding(clip: name, words: error.description))
        unusable.insert(name)
      }
    }
    let usable = pack.without(unusable)
    coverage = pack.wordings.map { ($0, usable.shortestInterval(wording: $0)) }
    timers = usable.timersText
    findings += pack.clipsWithoutFile.map {
      Finding(clip: $0, words: "it has no file; record it, or take it out of voice.conf")
    }
    findings += Self.uneven(loudness)
    findings.sort { ($0.clip, $0.words) < ($1.clip, $1.words) }
  }

  /// The clips that the rules for times of day need and that are not in `[clips]`, each with the
  /// first time that needs it. Leaves out those in `named`, and adds the others to it.
  private static func lacking(
    _ pack: VoicePack, _ wording: Wording, _ named: inout Set<String>
  ) -> [String] {
    var wording = wording
    wording.opens = pack.hasOpening
    var sentences: [String] = []
    for time in Interval.minute.timesOfDay {
      for clip in pack.clipsMissing(for: time, wording) where named.insert(clip).inserted {
        sentences.append(sentence(ofMissing: clip, for: time.dateTime.timeOfDay))
      }
    }
    return sentences
  }

  private static func lackingTimers(_ pack: VoicePack, _ named: inout Set<String>) -> [String] {
    var sentences: [String] = []
    for phrase in TimerPhrase.range {
      for clip in pack.clipsMissing(for: phrase) where named.insert(clip).inserted {
        sentences.append(sentence(ofMissing: clip, for: "'\(phrase.text)'"))
      }
    }
    return sentences
  }

  private static func sentence(ofMissing clip: String, for need: String) -> String {
    "no clip '\(clip)', which \(need) needs; record it, or take the rule out"
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
  /// torn, silent, far too short or too long, a crossfade that is too long for them, and phrases of
  /// timers that are said alike.
  ///
  /// Reads every clip once. `VoiceVerification` also checks their quality.
  public func flaws() -> [String] {
    var flaws = filesMissing.map { [$0.description] } ?? []
    for name in clipNames {
      guard let path = clip(name)?.path else { continue }
      do throws(Fault) {
        let file = try SoundFile(path: path)
        // A clip that is far too long need not be read to its end.
        var flaw = ClipFlaw(seconds: file.seconds)
        if flaw == nil {
          try file.verify()
          flaw = file.silence
        }
        if let flaw { flaws.append("\(path): \(flaw.words)") }
      } catch {
        flaws.append(error.description)
      }
    }
    if let flaw = crossfadeFlaw { flaws.append("\(path)/voice.conf: \(flaw)") }
    if let flaw = timersAlike {
      flaws.append("\(path)/voice.conf: \(flaw); give each phrase words of its own")
    }
    return flaws
  }

  /// Why the crossfade cannot be as long as it is set; nil if it can. It takes at most half of a
  /// clip, and then no part of the clip is heard by itself.
  var crossfadeFlaw: String? {
    guard overlap > .zero else { return nil }
    var shortest: (name: String, length: Duration)?
    for name in clipNames {
      // A clip that cannot be read, or cannot be a word, is reported by itself.
      guard let path = clip(name)?.path, let file = try? SoundFile(path: path),
        ClipFlaw(seconds: file.seconds) == nil
      else { continue }
      let length = Duration.seconds(file.seconds)
      if length < shortest?.length ?? .seconds(ClipFlaw.longest) { shortest = (name, length) }
    }
    guard let shortest, overlap > shortest.length / 2 else { return nil }
    let milliseconds = shortest.length.nanoseconds / 1_000_000
    return "crossfade = \(overlap.nanoseconds / 1_000_000)ms is more than half of clip "
      + "'\(shortest.name)', which takes \(milliseconds) ms, so that words run into each other; "
      + "set it to 20ms, say"
  }
}
