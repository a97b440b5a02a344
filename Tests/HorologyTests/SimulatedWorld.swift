import Horology

/// A world in which time passes as fast as the program runs: a clock that is set and sleeps, a
/// speaker that fails, a clock whose trust comes and goes, people who ask. All from one seed.
struct SimulatedWorld {
  /// What an observer outside has written down.
  struct History: Sendable {
    fileprivate(set) var soundings: [Sounding] = []
    /// The occasions that were reported as skipped.
    fileprivate(set) var skips: [(first: Instant, last: Instant)] = []
    /// When the clock was put back to more than an interval before what it had shown.
    fileprivate(set) var forgettings: [Uptime] = []
    fileprivate(set) var passages: [Passage] = []
    /// From when to when the switch was off or could not be read.
    fileprivate(set) var silences: [(from: Uptime, to: Uptime)] = []
    /// How long it was to be silent at most until it would wake again.
    fileprivate(set) var furthestWakeUp = Duration.zero
    /// How often something was to sound while something else did.
    fileprivate(set) var overlaps = 0
  }

  /// What was heard.
  struct Sounding: Sendable {
    let announcement: Announcement
    /// What the clock showed as it began.
    let began: Now
    /// When it was silent again.
    let ended: Uptime
  }

  /// Time over which the clock has passed, running or by a step forward.
  struct Passage: Sendable {
    let from: Instant
    var to: Instant
  }

  private(set) var history = History()

  let settings: AnnouncerSettings
  let zone: TestZone
  private var numbers: SeededNumbers
  private var announcer: Announcer
  private var now: Now
  private var wake: Instant
  /// The latest that the clock has shown since it was last found to have been wrong.
  private var reached: Instant
  private var nextFault: Uptime
  private var playing: Playing?
  private var silentSince: Uptime?

  private struct Playing {
    let announcement: Announcement
    /// What the clock shows as it begins, unless it is set before.
    let begins: Now
    let ends: Uptime
    let outcome: Outcome
  }

  private static let phrase = Duration.milliseconds(1_700)

  init(seed: UInt64, settings: AnnouncerSettings, zone: TestZone, start: Instant) {
    numbers = SeededNumbers(seed: seed)
    self.settings = settings
    self.zone = zone
    now = Now(instant: start, uptime: Uptime(seconds: 100), sinceBoot: .seconds(100))
    announcer = Announcer(settings: settings, zone: zone, trust: .synchronised, at: now)
    wake = start
    reached = start
    nextFault = now.uptime + .seconds(600)
    tell(.woke)
  }

  /// Lets the clock pass over so much time, faults and all.
  mutating func run(for span: Duration) {
    let end = now.uptime + span
    while now.uptime < end {
      let wakeUp = max(now.uptime(at: wake), now.uptime)
      let ending = playing?.ends ?? end
      let next = min(wakeUp, ending, nextFault)
      pass(to: next)
      if next == nextFault {
        fault()
      } else if next == ending {
        endPlaying()
      } else {
        // Timers come late, never early.
        pass(to: now.uptime + .microseconds(Int64.random(in: 0...900, using: &numbers)))
        tell(.woke)
      }
    }
  }

  private mutating func pass(to uptime: Uptime) {
    guard uptime > now.uptime else { return }
    let later = now.later(by: uptime - now.uptime)
    if history.passages.last?.to == now.instant {
      history.passages[history.passages.count - 1].to = later.instant
    } else {
      history.passages.append(Passage(from: now.instant, to: later.instant))
    }
    now = later
    reached = max(reached, now.instant)
  }

  private mutating func tell(_ event: Event) {
    var events = [event]
    while !events.isEmpty {
      for effect in announcer.handle(events.removeFirst(), at: now) {
        switch effect {
        case .wake(let instant):
          wake = instant
          history.furthestWakeUp = max(history.furthestWakeUp, wake - now.instant)
        case .play(let announcement): events += begin(announcement)
        case .stop(let sounding, let reason): events += stop(sounding, reason)
        case .report(.skipped(let first, let last, _)):
          history.skips.append((first.instant, last.instant))
        case .report: break
        }
      }
    }
  }

  private mutating func begin(_ announcement: Announcement) -> [Event] {
    if playing != nil { history.overlaps += 1 }
    let chance = Int.random(in: 0..<20, using: &numbers)
    if chance == 0 {
      return [.ended(announcement.id, .failed("the speaker is busy", begun: false))]
    }
    let due = max(now.uptime(at: announcement.anchor), now.uptime)
    // A sound server whose queue is seconds long.
    let delay = Duration.milliseconds(
      Int.random(in: 0..<8, using: &numbers) == 0 ? Int64.random(in: 1...6_000, using: &numbers) : 0
    )
    let begins = due + delay
    if let latest = announcement.latest, announcement.anchor + delay > latest {
      playing = Playing(
        announcement: announcement, begins: now.later(by: begins - now.uptime), ends: begins,
        outcome: .tooLate(by: delay))
      return []
    }
    playing = Playing(
      announcement: announcement,
      begins: now.later(by: begins - now.uptime),
      ends: begins + (chance == 1 ? Self.phrase / 3 : Self.phrase),
      outcome: chance == 1 ? .failed("gone", begun: true) : .finished(.exact))
    return []
  }

  private mutating func stop(_ sounding: SoundingID, _ reason: StopReason) -> [Event] {
    guard let current = playing, current.announcement.id == sounding else { return [] }
    playing = nil
    guard now.uptime > current.begins.uptime else {
      return [.ended(sounding, .stopped(reason, silentAt: nil))]
    }
    heard(current)
    return [.ended(sounding, .stopped(reason, silentAt: now.uptime))]
  }

  private mutating func endPlaying() {
    guard let current = playing else { return }
    playing = nil
    if case .tooLate = current.outcome {} else { heard(current) }
    tell(.ended(current.announcement.id, current.outcome))
  }

  private mutating func heard(_ playing: Playing) {
    history.soundings.append(
      Sounding(announcement: playing.announcement, began: playing.begins, ended: now.uptime))
  }

  private mutating func fault() {
    nextFault = now.uptime + .seconds(Int64.random(in: 1...4_000, using: &numbers))
    switch Int.random(in: 0..<12, using: &numbers) {
    case 11:
      // A clock that is pulled back bit by bit.
      for _ in 0..<Int.random(in: 2...30, using: &numbers) {
        step(by: .seconds(Int64.random(in: -800...(-1), using: &numbers)))
      }
    case 0: step(by: .milliseconds(Int64.random(in: -12_000...12_000, using: &numbers)))
    case 1: step(by: .seconds(Int64.random(in: -1_200...1_200, using: &numbers)))
    case 2: step(by: .seconds(Int64.random(in: -90_000...90_000, using: &numbers)))
    case 3: sleep(for: .seconds(Int64.random(in: 1...30_000, using: &numbers)))
    case 4: tell(.trust(ClockTrust.allCases.randomElement(using: &numbers)!))
    case 5:
      // The loop is held up, and wakes late.
      pass(to: now.uptime + .milliseconds(Int64.random(in: 1...15_000, using: &numbers)))
      if let current = playing, current.ends <= now.uptime { endPlaying() } else { tell(.woke) }
    case 6:
      turn([Ringer.on, .off, .lost("gone"), .on, .on].randomElement(using: &numbers)!)
    case 7: tell(.stop(.byHand))
    case 8:
      let end = now.instant + .seconds(Int64.random(in: 1...9_000, using: &numbers))
      tell(.mute([.off, .next, .next, .until(end)].randomElement(using: &numbers)!))
    default: tell(.asked(speakerIsAwake: Bool.random(using: &numbers)))
    }
  }

  private mutating func turn(_ ringer: Ringer) {
    if ringer == .on, let since = silentSince {
      history.silences.append((since, now.uptime))
      silentSince = nil
    } else if ringer != .on && silentSince == nil {
      silentSince = now.uptime
    }
    tell(.ringer(ringer, at: now.uptime))
  }

  private mutating func step(by span: Duration) {
    move(to: now.set(by: span))
    if now.instant < reached - settings.interval.duration {
      history.forgettings.append(now.uptime)
      reached = now.instant
    }
    tell(.clockSet)
  }

  private mutating func sleep(for span: Duration) {
    move(to: now.asleep(for: span))
    tell(.clockSet)
  }

  private mutating func move(to later: Now) {
    if later.instant > now.instant {
      history.passages.append(Passage(from: now.instant, to: later.instant))
    }
    now = later
    reached = max(reached, now.instant)
  }
}
