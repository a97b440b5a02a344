import Horology

/// Something heard of an announcement or a cue.
struct Sound: Hashable {
  enum Kind: Hashable {
    case begins
    case anchor
    /// A blow at this offset from the anchor, by the programme.
    case blow(Int64)
    case words
    case ends
  }

  /// The uptime at which it is heard.
  let at: Int64
  let kind: Kind
}

/// A sounding that the simulated speaker plays, as the Player and its Track do it. Its beginning is
/// decided as late as the queue allows. Sounds that are not queued yet follow the clock.
struct Playback {
  /// How long the last blow rings.
  private static let ring = 4 * second
  /// From the last sound to the report of the end.
  private static let tail = 100 * millisecond
  /// The player looks at its device this often.
  private static let tick = 20 * millisecond

  let sounding: Sounding
  /// The uptime of a cue's anchor. It needs no time that counts sleep: a sleep would end it.
  private let cueAnchor: Int64?
  /// Its sounds in order, each at an offset from the anchor.
  private let plan: [Sound]
  /// A queued sound is heard this much later.
  private let queue: Int64
  /// All of it is wanted this much later than it should be.
  private let late: Int64
  private(set) var sounds: [Sound] = []
  /// The uptime at which its anchor is heard, once that is decided.
  private(set) var target: Int64?
  private(set) var isStopped = false
  private(set) var hasBegun = false
  /// How much of it was heard, and how much of that the service was told.
  private var (heard, told) = (Heard.nothing, Heard.nothing)
  /// The uptime at which the service is told how much was heard; nil if it knows.
  private var tells: Int64?
  /// Its outcome, and the uptime at which that is reported.
  private(set) var verdict: (at: Int64, outcome: Outcome)?

  /// - Parameter phrase: the length of the words.
  init(_ sounding: Sounding, phrase: Int64, queue: Int64, late: Int64, _ moment: Moment) {
    self.sounding = sounding
    (self.queue, self.late) = (queue, late)
    var sounds = sounding.blows.map { blow in
      Sound(at: blow.offset.nanoseconds, kind: .blow(blow.offset.nanoseconds))
    }
    var end = sounds.last.map { $0.at + Self.ring }
    switch sounding {
    case .announcement(let said):
      cueAnchor = nil
      let words: Int64? =
        switch said.programme.words {
        case .none: nil
        case .at(let offset): offset.nanoseconds
        case .before(let gap, _): (sounds.first?.at ?? 0) - gap.nanoseconds - phrase
        }
      sounds.append(Sound(at: 0, kind: .anchor))
      if let words {
        sounds.append(Sound(at: words, kind: .words))
        end = max(end ?? 0, words + phrase)
      }
    case .cue(let cue):
      cueAnchor = moment.uptime + cue.anchor.nanoseconds - moment.sinceBoot
      end = end ?? (cue.signal == .ring ? 1500 : 400) * millisecond
    }
    sounds.sort { $0.at < $1.at }
    plan =
      [Sound(at: sounds.first?.at ?? 0, kind: .begins)] + sounds
      + [Sound(at: end ?? 0, kind: .ends)]
  }

  /// The uptime at which it is to begin, by the clock as it is now.
  private func begins(_ moment: Moment) -> Int64 {
    let anchor = cueAnchor ?? moment.uptime(at: sounding.announcement!.anchor.nanoseconds)
    return anchor + late + plan[0].at
  }

  /// The uptime at which something is to be done with it.
  func next(_ moment: Moment) -> Int64 {
    let end = verdict?.at ?? max(moment.uptime, begins(moment) - queue)
    // The player also looks when a sound has just been heard.
    let sound = told == .anchor ? nil : sounds.first.map { $0.at + Self.tick }
    return min(end, tells ?? .max, sound ?? .max)
  }

  /// Decides where it begins, if that is still open.
  mutating func decide(_ moment: Moment) {
    guard target == nil, verdict == nil else { return }
    let delay = moment.uptime + queue - begins(moment)
    guard delay >= 0 else { return }
    if let leeway = sounding.mayBeLateBy?.nanoseconds, delay > leeway {
      verdict = (moment.uptime + 20 * millisecond, .tooLate(by: .nanoseconds(delay)))
      return
    }
    let target = moment.uptime + queue - plan[0].at
    self.target = target
    sounds = plan.map { Sound(at: target + $0.at, kind: $0.kind) }
    let end = target + plan.last!.at + Self.tail
    verdict = (end + moment.whim(25 * millisecond), .finished(.exact))
  }

  /// The next sound, if it is heard by then.
  mutating func nextSound(through uptime: Int64) -> Sound? {
    guard let sound = sounds.first, sound.at <= uptime else { return nil }
    sounds.removeFirst()
    hasBegun = true
    // A cue begins with its anchor.
    let isAnchor = sound.kind == .anchor || cueAnchor != nil
    if isAnchor { heard = .anchor } else if heard == .nothing { heard = .begun }
    if heard != told { tells = tells ?? sound.at + Self.tick }
    return sound
  }

  /// How much of it was heard by now, if the service is to be told that now.
  mutating func news(_ moment: Moment) -> Heard? {
    let isEnding = (verdict?.at ?? .max) <= moment.uptime
    guard let tells, isEnding || tells <= moment.uptime else { return nil }
    self.tells = nil
    told = heard
    return heard
  }

  /// Nothing of it is heard after that.
  private mutating func silence(at latest: Int64) {
    let uptime = min(latest, sounds.last?.at ?? latest)
    let sounded =
      (hasBegun && !sounds.isEmpty) || sounds.first.map { $0.at < uptime } == true
    sounds = sounds.filter { $0.at < uptime && $0.kind != .ends }
    if sounded { sounds.append(Sound(at: uptime, kind: .ends)) }
  }

  mutating func stop(_ reason: StopReason, _ moment: Moment) {
    guard !isStopped else { return }
    // All of it has sounded, and only its end is still to be told: it ends as usual, as in
    // `Track.stop`.
    if hasBegun, sounds.isEmpty { return }
    isStopped = true
    guard target != nil else {
      verdict = (moment.uptime, .stopped(reason, silentAt: nil))
      return
    }
    // One that has failed, or was too late, keeps that outcome.
    switch verdict?.outcome {
    case .failed, .tooLate: return
    default: break
    }
    let silentAt = moment.uptime + 8 * millisecond + moment.whim(18 * millisecond)
    let isHeard = hasBegun || sounds.first.map { $0.at < silentAt } == true
    silence(at: silentAt)
    verdict = (
      silentAt + Self.tail,
      .stopped(reason, silentAt: isHeard ? Uptime(nanoseconds: silentAt) : nil)
    )
  }

  /// - Parameter lasting: how long queued sounds are still heard.
  mutating func fail(_ why: String, _ moment: Moment, lasting: Int64 = 0) {
    let end = moment.uptime + min(lasting, queue)
    silence(at: end)
    if isStopped { return }
    var heard = Heard.nothing
    if let target, hasBegun || !sounds.isEmpty {
      heard = target < end ? .anchor : .begun
    }
    verdict = (moment.uptime, .failed(why, heard: heard))
  }
}

extension Timing {
  static let exact = Timing(onsetError: .zero, worstError: .zero, underruns: 0)
}
