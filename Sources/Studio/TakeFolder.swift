import Basics
@preconcurrency import Glibc
import Sound

/// The folder of a voice while it is being recorded. Each kept take is a whole file in its `takes`,
/// synced to the disk. When all are there, the folder becomes the pack.
public final class TakeFolder {
  public let path: String
  private let plan: RecordingPlan
  /// The folder `takes`, open and locked.
  private let descriptor: Int32
  /// True if the folder was not there before.
  private let makesFolder: Bool

  private var takes: String { "\(path)/takes" }
  private var waitingPath: String { "\(takes)/.waiting.wav" }
  private var playedPath: String { "\(takes)/.played.wav" }

  /// Makes the folder, or continues with what is there.
  /// - Throws: `Fault` if it cannot be written to, is being recorded into, or is a pack already.
  ///   For timers it must be a pack to which their words can be added.
  public init(path: String, plan: RecordingPlan) throws(Fault) {
    self.path = path
    self.plan = plan
    let operation = "cannot record into \(path)"
    var status = stat()
    if stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR {
      throw Fault(operation, "it is a file; give the name of a folder")
    }
    try Self.checkPack(path, plan, operation)
    let makesFolder = access(path, F_OK) != 0
    for folder in [path, "\(path)/takes"] where mkdir(folder, 0o777) != 0 && errno != EEXIST {
      throw Fault(operation, errno: errno)
    }
    guard access(path, W_OK | X_OK) == 0, access("\(path)/takes", W_OK | X_OK) == 0 else {
      throw Fault(operation, errno: errno)
    }
    let opened = try retryingInterrupts(operation) {
      open("\(path)/takes", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(opened)
      throw code == EWOULDBLOCK
        ? Fault(operation, "it is being recorded into already; end the other one first")
        : Fault(operation, errno: code)
    }
    descriptor = opened
    self.makesFolder = makesFolder
    clear()
    try syncToDisk(path)
    // The parent folder may be one that this user may not read.
    try? syncToDisk("\(path)/..")
  }

  /// A recording of the time needs a folder that is not a pack yet; one of timers needs a pack.
  private static func checkPack(
    _ path: String, _ plan: RecordingPlan, _ operation: String
  ) throws(Fault) {
    let isPack = access("\(path)/voice.conf", F_OK) == 0
    if plan == .timers {
      guard isPack else {
        throw Fault(
          operation,
          "it is no voice pack yet, and timers are added to one; record its quarters or minutes "
            + "first")
      }
      try VoicePack(path: path).checkThatItLacksTimers(plan.prompts.flatMap(\.words))
    } else if isPack {
      throw Fault(
        operation,
        "it is a voice pack already; give another folder, or remove its voice.conf to "
          + "record more of it")
    }
  }

  deinit {
    clear()
    // A folder into which nothing was recorded is not left behind.
    if rmdir(takes) == 0 && makesFolder { rmdir(path) }
    close(descriptor)
  }

  /// Removes files that are not takes: phrases that were not kept, now or at a power cut.
  private func clear() {
    for name in names(inFolder: takes) where name.hasPrefix(".") { unlink("\(takes)/\(name)") }
  }

  /// The indices of the prompts that have a usable take.
  public func kept(unusable: (Fault) -> Void) -> Set<Int> {
    var kept: Set<Int> = []
    for (index, prompt) in plan.prompts.enumerated() where access(file(prompt), F_OK) == 0 {
      do throws(Fault) {
        _ = try take(prompt)
        kept.insert(index)
      } catch {
        unusable(error)
      }
    }
    return kept
  }

  /// Puts a take on the disk, in place of an earlier one if there is one.
  public func keep(_ take: Take) throws(Fault) {
    try Recording(samples: take.samples, rate: take.rate).write(to: waitingPath)
    try syncToDisk(waitingPath)
    guard rename(waitingPath, file(take.prompt)) == 0 else {
      throw Fault("cannot write \(file(take.prompt))", errno: errno)
    }
    try syncToDisk(takes)
  }

  /// The score of a phrase as the voice would say it.
  public func score(of take: Take) throws(Fault) -> (Int) -> Score {
    try take.spoken().write(to: playedPath)
    let (path, seconds) = (playedPath, try SoundFile(path: playedPath).seconds)
    return { rate in
      let frames = Int((seconds * Double(rate)).rounded())
      return Score(
        rate: rate, parts: [Score.Part(StoredSound(path), start: 0, frames: frames)], anchor: 0)
    }
  }

  public func take(_ prompt: RecordingPrompt) throws(Fault) -> Take {
    let path = file(prompt)
    let sound = try SoundFile(path: path)
    guard Double(sound.frames) <= Take.longest * Double(sound.rate) * 2 else {
      throw Fault("cannot use \(path)", "it is too long; say it again")
    }
    let samples = try sound.readChannels()[0]
    do throws(Take.Refusal) {
      return try Take(cutting: samples, rate: sound.rate, prompt)
    } catch {
      throw Fault("cannot use \(path)", error.description)
    }
  }

  private func file(_ prompt: RecordingPrompt) -> String { "\(takes)/\(prompt.name).wav" }

  // MARK: The pack

  /// Cuts all takes into their words, and uses the middle take of each word. Makes the folder a
  /// pack of them, or adds them to the pack that it is.
  public func makePack() throws(Fault) -> VoicePack {
    var found: [EnglishWord: [Recording]] = [:]
    for prompt in plan.prompts {
      for (word, recording) in zip(prompt.words, try take(prompt).cutWords()) {
        found[word, default: []].append(recording)
      }
    }
    // The take of middle length is neither hurried nor drawn out.
    let words = found.mapValues { takes in
      takes.sorted { $0.samples.count < $1.samples.count }[takes.count / 2]
    }
    if plan == .timers { return try addTimers(words) }
    let draft = VoiceDraft(levelling: words)
    if let problem = draft.problems.first { throw problem }
    let name = path.split(separator: "/").last.map { String($0) } ?? path
    try draft.write(to: path, source: name, licence: nil)
    let pack = try VoicePack(path: path)
    for wording in pack.wordings { try pack.verify(every: .quarter, wording: wording) }
    return pack
  }

  private func addTimers(_ words: [EnglishWord: Recording]) throws(Fault) -> VoicePack {
    let pack = try VoicePack(path: path)
    let draft = VoiceDraft(levelling: words, to: try pack.loudness())
    if let problem = draft.problems.first { throw problem }
    return try draft.addTimers(to: pack)
  }
}
