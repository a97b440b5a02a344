import Basics
import Horology
import Sound

/// What a voice pack can say, and where it misses the quality targets.
public struct VoiceVerification {
  public struct Line: Hashable, Sendable {
    public let isWell: Bool
    public let subject: String
    public let words: String
  }

  public private(set) var lines: [Line] = []

  // In seconds, as a share of full scale, in dBTP and in LU.
  private static let longestBefore = 0.015
  private static let longestAfter = 0.040
  private static let mostDC = 0.001
  private static let highestPeak = -1.0
  private static let loudnessTolerance = 1.0

  public init(of pack: VoicePack) {
    var faults: [(clip: String, words: String)] = []
    var loudness: [(clip: String, momentary: Double)] = []
    let (bad, crossfade) = pack.readClips { clip, word in
      let measured = Loudness(of: word.samples, rate: word.rate)
      loudness.append((clip.name, measured.momentary))
      faults += Self.faults(word, measured).map { (clip.name, $0) }
    }
    faults += bad.map { ($0.clip.name, $0.fault.description) }
    faults += pack.clipsWithoutFile.map {
      ($0, "it has no file; record it, or take it out of voice.conf")
    }
    faults += Self.uneven(loudness)

    let usable = pack.without(Set(bad.map(\.clip.name)))
    for wording in pack.wordings {
      if let interval = usable.shortestInterval(wording: wording) {
        add(wording.name, "it says \(interval.times)", isWell: true)
      } else {
        add(
          wording.name,
          "it says not even the full hours; mend the clips below, or add rules or clips")
      }
    }
    if pack.wordings.isEmpty { add("rules", "neither [clock 12] nor [clock 24]") }
    add("timers", "it \(usable.timersText)", isWell: true)
    addRules(of: pack)
    if let crossfade { add("crossfade", crossfade) }
    for fault in faults.sorted(by: { $0 < $1 }) { add("clip", "\(fault.clip): \(fault.words)") }
    if let words = pack.licenceFlaw { add("licence", words) }
    if faults.isEmpty { add("clips", "\(pack.sortedClips.count), all well", isWell: true) }
  }

  private mutating func add(_ subject: String, _ words: String, isWell: Bool = false) {
    lines.append(Line(isWell: isWell, subject: subject, words: words))
  }

  /// Adds each clip that a rule needs but `[clips]` lacks, and times that are said alike.
  private mutating func addRules(of pack: VoicePack) {
    // A clip in `[clips]` without a file has a line of its own.
    var named = Set(pack.clipsWithoutFile)
    func add(_ missing: [String], _ need: String) {
      for clip in missing where named.insert(clip).inserted {
        self.add("rules", "no clip '\(clip)', which \(need) needs; record it, or take the rule out")
      }
    }
    for var wording in pack.wordings {
      if let sentence = pack.timesAlike(wording) { self.add("rules", sentence) }
      wording.opens = pack.hasOpening
      for time in Interval.minute.timesOfDay {
        add(pack.clipsMissing(for: time, wording), time.dateTime.timeOfDay)
      }
    }
    for phrase in TimerPhrase.range { add(pack.clipsMissing(for: phrase), "'\(phrase.text)'") }
  }

  private static func faults(_ recording: Recording, _ loudness: Loudness) -> [String] {
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

  /// The clips outside the range, twice the tolerance wide, that holds the most clips. One outlier does
  /// not make the others fail.
  private static func uneven(
    _ loudness: [(clip: String, momentary: Double)]
  ) -> [(clip: String, words: String)] {
    let sorted = loudness.map(\.momentary).filter(\.isFinite).sorted()
    let ranges = sorted.indices.map { first in
      sorted[first...].prefix { $0 - sorted[first] <= 2 * loudnessTolerance }
    }
    guard let range = ranges.max(by: { $0.count < $1.count }), let softest = range.first,
      let loudest = range.last
    else { return [] }
    let level = (softest + loudest) / 2
    return loudness.compactMap { clip, momentary in
      guard !(softest...loudest).contains(momentary) else { return nil }
      let difference = momentary - level
      return (
        clip,
        "\(difference.magnitude.text(decimals: 1, .up)) LU \(difference > 0 ? "louder" : "softer") "
          + "than the pack (\(momentary.text(decimals: 1)) against \(level.text(decimals: 1)) LUFS), "
          + "more than 1; level it"
      )
    }
  }

  private static func milliseconds(_ seconds: Double) -> String {
    (seconds * 1000).text(decimals: 0, .up)
  }
}

extension VoicePack {
  /// What keeps the clock from saying the right time, one sentence each.
  public func flaws() -> [String] {
    let (bad, crossfade) = readClips { _, _ in }
    return (filesMissing.map { [$0.description] } ?? []) + bad.map(\.fault.description)
      + (crossfade.map { ["\(path)/voice.conf: \($0)"] } ?? [])
  }

  /// Reads every clip once, in the order of their names.
  /// - Returns: the clips that are no word, and why the crossfade cannot be as long as it is set.
  func readClips(
    _ heard: (Clip, Recording) -> Void
  ) -> (bad: [(clip: Clip, fault: Fault)], crossfade: String?) {
    var bad: [(clip: Clip, fault: Fault)] = []
    var shortest: (name: String, seconds: Double)?
    for clip in sortedClips {
      do throws(Fault) {
        let file = try SoundFile(path: clip.path)
        if let flaw = ClipFlaw.tooShort(seconds: file.seconds) { throw Fault(clip.path, flaw) }
        let word = Recording(samples: try file.readChannels()[0], rate: file.rate)
        if let flaw = ClipFlaw.silence(in: word.samples) { throw Fault(clip.path, flaw) }
        if word.seconds < shortest?.seconds ?? .infinity { shortest = (clip.name, word.seconds) }
        heard(clip, word)
      } catch {
        bad.append((clip, error))
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
