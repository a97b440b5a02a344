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
  var at: Int64
  let kind: Kind
}

/// A sounding that the simulated speaker plays, as the Player and its Track do it. Its beginning is
/// decided as late as the queue allows. Sounds that are not queued yet follow the clock.
struct Track {
  /// How long the last blow rings.
  private static let ring = 4 * second
  /// From the last sound to the report of the end.
  private static let tail = 100 * millisecond
  /// The player looks at its device this often.
  private static let tick = 20 * millisecond

  let sounding: Sounding
  /// The uptime of a cue's anchor. It needs no time that counts sleep: a sleep would end it.
  private let cueAnchor: Int64?
  /// How late it may be; nil if there is no limit.
  private let leeway: Int64?
  private let words: Int64?
  /// Offsets from its anchor.
  private let (first, last): (Int64, Int64)
  /// A queued sound is heard this much later.
  private let queue: Int64
  /// All of it is wanted this much later than it should be.
  private let late: Int64
  /// The sounds that are still to be heard.
  private(set) var sounds: [Sound] = []
  /// The uptime of its anchor, once that is decided.
  private(set) var target: Int64?
  private var delay: Int64 = 0
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
    leeway = sounding.mayBeLateBy?.nanoseconds
    let blows = sounding.blows
    let firstBlow = blows.first?.offset.nanoseconds
    let lastBlow = blows.last.map { $0.offset.nanoseconds + Self.ring }
    switch sounding {
    case .announcement(let announcement):
      cueAnchor = nil
      words =
        switch announcement.programme.words {
        case .none: nil
        case .at(let offset): offset.nanoseconds
        case .before(let gap, _): (firstBlow ?? 0) - gap.nanoseconds - phrase
        }
      first = min(firstBlow ?? .max, words ?? .max)
      last = max(lastBlow ?? .min, words.map { $0 + phrase } ?? .min)
    case .cue(let cue):
      cueAnchor = moment.uptime + cue.anchor.nanoseconds - moment.sinceBoot
      words = nil
      first = 0
      last = lastBlow ?? (cue.signal == .ring ? 1500 : 400) * millisecond
    }
  }

  /// The uptime of its anchor, by the clock as it is now.
  private func anchored(_ moment: Moment) -> Int64 {
    late + (cueAnchor ?? moment.uptime(at: sounding.announcement!.anchor.nanoseconds))
  }

  /// The uptime at which something is to be done with it.
  func next(_ moment: Moment) -> Int64 {
    let end = verdict?.at ?? max(moment.uptime, anchored(moment) + first - queue)
    // The player also looks when a sound has just been heard.
    let sound = told == .anchor ? nil : sounds.first.map { $0.at + Self.tick }
    return min(end, tells ?? .max, sound ?? .max)
  }

  /// Decides where it begins, if that is still open.
  mutating func decide(_ moment: Moment) {
    guard target == nil, verdict == nil else { return }
    let wanted = anchored(moment)
    guard moment.uptime >= wanted + first - queue else { return }
    delay = max(0, moment.uptime + queue - wanted - first)
    if let leeway, delay > leeway {
      verdict = (moment.uptime + 20 * millisecond, .tooLate(by: .nanoseconds(delay)))
      return
    }
    target = wanted
    let heard = wanted + delay
    sounds = [Sound(at: heard + first, kind: .begins)]
    if cueAnchor == nil { sounds.append(Sound(at: heard, kind: .anchor)) }
    for blow in sounding.blows {
      let offset = blow.offset.nanoseconds
      sounds.append(Sound(at: heard + offset, kind: .blow(offset)))
    }
    if let words { sounds.append(Sound(at: heard + words, kind: .words)) }
    sounds.append(Sound(at: heard + last, kind: .ends))
    sounds.sort { $0.at < $1.at }
    verdict = (heard + last + Self.tail + moment.whim(25 * millisecond), .finished(.exact))
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

  /// Fades it out.
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
    // A track that has failed, or was too late, keeps that outcome.
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

  /// The device fails.
  /// - Parameter lasting: how long queued sounds are still heard.
  mutating func fail(_ why: String, _ moment: Moment, lasting: Int64 = 0) {
    let end = moment.uptime + min(lasting, queue)
    silence(at: end)
    if isStopped { return }
    var heard = Heard.nothing
    if let target, hasBegun || !sounds.isEmpty {
      heard = target + delay < end ? .anchor : .begun
    }
    verdict = (moment.uptime, .failed(why, heard: heard))
  }
}

extension Timing {
  static let exact = Timing(onsetError: .zero, worstError: .zero, underruns: 0)
}
