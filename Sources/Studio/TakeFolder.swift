import Basics
@preconcurrency import Glibc
import Horology
import Sound

/// The folder of a voice while it is being recorded. Each kept take is a whole file in its `takes`,
/// synced to the disk. When all are there, the folder becomes the pack.
public final class TakeFolder {
  public let path: String
  private let plan: RecordingPlan

  private var takes: String { "\(path)/takes" }

  public init(path: String, plan: RecordingPlan) throws(Fault) {
    self.path = path
    self.plan = plan
    let operation = "cannot record into \(path)"
    guard access("\(path)/voice.conf", F_OK) != 0 else {
      throw Fault(
        operation,
        "it is a voice pack already; give another folder, or remove its voice.conf to "
          + "record more of it")
    }
    guard plan != .timers || RecordingPlan.quarters.prompts.allSatisfy(isRecorded) else {
      throw Fault(
        operation, "a voice of timers says the time too; record its quarters or minutes first")
    }
    for folder in [path, "\(path)/takes"] {
      guard mkdir(folder, 0o777) == 0 || errno == EEXIST, access(folder, W_OK | X_OK) == 0 else {
        throw Fault(operation, errno: errno)
      }
    }
    clear()
    try syncToDisk(path)
    // The parent folder may be one that this user may not read.
    try? syncToDisk("\(path)/..")
  }

  deinit {
    clear()
    // A folder into which nothing was recorded is not left behind.
    if rmdir(takes) == 0 { rmdir(path) }
  }

  /// Removes files that are not takes, as a power cut leaves them.
  private func clear() {
    for name in names(inFolder: takes) where !name.hasSuffix(".wav") || name.hasPrefix(".") {
      unlink("\(takes)/\(name)")
    }
  }

  public func kept(unusable: (Fault) -> Void) -> Set<Int> {
    var kept: Set<Int> = []
    for (index, prompt) in plan.prompts.enumerated() where isRecorded(prompt) {
      do throws(Fault) {
        _ = try take(prompt)
        kept.insert(index)
      } catch {
        unusable(error)
      }
    }
    return kept
  }

  public func keep(_ take: Take) throws(Fault) {
    try Recording(samples: take.samples, rate: take.rate).write(to: file(take.prompt))
    try syncToDisk(file(take.prompt))
    try syncToDisk(takes)
  }

  public func score(of take: Take) throws(Fault) -> (Int) -> Score {
    let sound = StoredSound("\(takes)/.played.wav")
    try Recording(samples: take.samples, rate: take.rate).write(to: sound.path)
    return { rate in
      let frames = take.samples.count * rate / take.rate
      return Score(rate: rate, parts: [Score.Part(sound, start: 0, frames: frames)], anchor: 0)
    }
  }

  public func take(_ prompt: RecordingPrompt) throws(Fault) -> Take {
    let sound = try SoundFile(path: file(prompt))
    let samples = try sound.readChannels()[0]
    do throws(Fault) {
      return try Take(cutting: samples, rate: sound.rate, prompt)
    } catch {
      throw Fault("cannot use \(file(prompt))", error.detail)
    }
  }

  private func file(_ prompt: RecordingPrompt) -> String { "\(takes)/\(prompt.name).wav" }

  private func isRecorded(_ prompt: RecordingPrompt) -> Bool { access(file(prompt), F_OK) == 0 }

  /// Makes the folder a pack of all takes in it, also those of other plans.
  public func makePack() throws(Fault) -> VoicePack {
    var found: [EnglishWord: [Recording]] = [:]
    for prompt in RecordingPlan.minutes.prompts + RecordingPlan.timers.prompts
    where isRecorded(prompt) {
      for (word, recording) in zip(prompt.words, try take(prompt).cutWords()) {
        found[word, default: []].append(recording)
      }
    }
    // The take of middle length is neither hurried nor drawn out.
    let words = found.mapValues { takes in
      takes.sorted { $0.samples.count < $1.samples.count }[takes.count / 2]
    }
    let draft = VoiceDraft(levelling: words)
    if let problem = draft.problems.first { throw problem }
    let name = path.split(separator: "/").last.map { String($0) } ?? path
    return try draft.write(to: path, source: name, licence: nil)
  }
}
