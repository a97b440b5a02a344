import Horology

/// The timers, the alarms and the interval, as the person who set them would reckon them.
struct TimerReckoning {
  enum State: Hashable {
    /// A timer, until it is at zero.
    case running(Reckoned)
    /// With this much left.
    case paused(Int64)
    /// An alarm that waits for its time.
    case waiting
    case ringing(Reckoned)
    case snoozing(Reckoned)
  }

  struct Entry: Hashable {
    var name: String?
    var state: State
    /// The length of a timer, with what was added.
    var length: Int64 = 0
    var alarm: AlarmReckoning?
    /// How far the time left may be off while it is paused.
    var pausedSlack: Int64 = 0
    /// It was silenced: it must not ring any more once the service rests.
    var isSilenced = false
    /// It was due when the service last rested.
    var isOverdue = false
    /// Its first ring was not judged yet. `toldAt` is when its ring was reported, since the history
    /// began: its moment may have passed when the clock was set.
    var owesRing = false
    var toldAt: Int64 = 0
    /// It began softly while something else rang, and may be heard later.
    var givesWay = false
    /// The words to be said while it rings.
    var words: Words?
    /// When the words before its zero were last planned, since the history began.
    var plannedAt: Int64 = 0
    /// The times left that were said or explained, and those that are overdue.
    var toldLeft: Set<Int64> = []
    var overdueLeft: Set<Int64> = []

    struct Words: Hashable {
      /// From when and until when they may be heard, since the history began.
      let heard: ClosedRange<Int64>
      /// When they are due. For alarms that began together, that is after the tune of the one that
      /// is heard.
      var due: Int64
      /// How long before that they are given to the player: the lead when the ring began.
      let lead: Int64
      /// The player has them, or had.
      var isGiven = false
      /// It was too late for them when the service last rested.
      var isOverdue = false

      init(from due: Int64, for span: Int64, lead: Int64) {
        self.due = due
        self.lead = lead
        heard = due...(due + span)
      }

      var latest: Int64 { due + heard.upperBound - heard.lowerBound }
    }

    /// Plans the words before its zero anew.
    mutating func plansWords(_ moment: Moment) {
      plannedAt = moment.elapsed
      (toldLeft, overdueLeft) = ([], [])
    }

    var moment: Reckoned? {
      switch state {
      case .running(let moment), .ringing(let moment), .snoozing(let moment): moment
      case .paused, .waiting: nil
      }
    }

    var slack: Int64 { moment?.slack ?? pausedSlack }

    /// Since when it rings.
    var rings: Reckoned? { if case .ringing(let since) = state { since } else { nil } }

    mutating func change(_ change: (inout Reckoned) -> Void) {
      switch state {
      case .running(var zero):
        change(&zero)
        state = .running(zero)
      case .ringing(var since):
        change(&since)
        state = .ringing(since)
      case .snoozing(var until):
        change(&until)
        state = .snoozing(until)
      case .paused, .waiting: break
      }
      if alarm?.from != nil { change(&alarm!.from!) }
    }
  }

  var entries: [Cue.Source: Entry] = [:]
  var interval: IntervalReckoning?
  /// The state saved on disk.
  private var saved = Saved()
  /// How often the power was cut.
  private var powerCuts = 0
  /// Something must be updated once the clock is trusted.
  var isDoubtful = true

  private struct Saved {
    var entries: [Cue.Source: Entry] = [:]
    var interval: IntervalReckoning?
    var base: Int64?
    var moment = Moment(elapsed: 0, shown: 0)
    var powerCuts = 0
    var face: OracleFace?
  }
  /// A person's order that the service has not reported yet.
  var order: TimerOrder?
  /// The cues that the player has, when each is to sound, and by when it must be silent, since the
  /// history began.
  var sounding: [SoundingID: (source: Cue.Source, due: Int64, silentBy: Int64)] = [:]
  /// When the last rings began, and when they were to begin, since the history began.
  private(set) var rings: [(source: Cue.Source, due: Int64, at: Int64)] = []
  /// When a ring was last heard to begin, or to go on with a blow, since the history began.
  var lastBlow: Int64?
  /// When the last cue that the speaker could not play was to begin, since the history began.
  private(set) var lastFailed = Int64.min
  /// When a ring last stopped to follow the clock, since the history began.
  private(set) var lastFollowed = Int64.min
  /// The rings that sound, and those that have ended since the service rested.
  var spans: [Oracle.RingSpan] = []
  /// The sounding of the words that a person has asked for.
  var told: SoundingID?
  /// Those were not heard, and the service has not told so.
  var isToldUnsaid = false
  var alarmOrder: AlarmWish?
  var isAlarmOrderDone = false
  /// The latest that the clock has shown while alarms could go by it.
  var reached: Int64?
  /// What the clock last showed while alarms could go by it.
  var base: Int64?
  var wasClockGood = true
  /// The clock was trusted.
  var wasClockRight = true
  /// When the service last looked at the clock for them.
  var looked = Moment(elapsed: 0, shown: 0)
  /// Nil if it has not since the start.
  var lookedUptime: Int64?
  /// When the next alarm is due, if that is known.
  var nextAlarm: Int64?

  /// An interval runs, or its last cue sounds and was not silenced, by what the service knows.
  var hasInterval: Bool {
    guard let interval else { return false }
    let sounds = sounding.values.contains { $0.source == .interval }
    return !interval.isOver || !interval.isSilenced && sounds
  }

  var isRinging: Bool { entries.values.contains { $0.rings != nil } }

  /// - Parameter due: when the ring was to begin, since the history began.
  mutating func rang(_ source: Cue.Source, due: Int64, _ moment: Moment) {
    if rings.count > 20 { rings.removeFirst(10) }
    rings.append((source, due, moment.elapsed))
  }

  /// The speaker could not play a cue. An interval is judged by its own.
  mutating func failed(_ cue: SoundingID) {
    if let cue = sounding[cue], cue.source != .interval { lastFailed = max(lastFailed, cue.due) }
  }

  /// The lowest number that is free.
  func number(_ source: (Int) -> Cue.Source) -> Cue.Source {
    var number = 1
    while entries[source(number)] != nil { number += 1 }
    return source(number)
  }

  /// By its name or its number.
  func find(_ which: String, isAlarm: Bool) -> Cue.Source? {
    entries.first { source, entry in
      let number =
        switch source {
        case .timer(let number), .alarm(let number): "\(number)"
        case .interval: ""
        }
      return (entry.alarm != nil) == isAlarm && [entry.name, number].contains(which)
    }?.key
  }

  // MARK: The clock and the power

  mutating func clockWasSet(_ moment: Moment) {
    nextAlarm = nil
    let isMoved =
      interval?.start.followsClock == true
      || entries.values.contains { $0.moment?.followsClock == true }
    if isMoved { plansWords(moment) }
  }

  /// The service has noticed that the clock was set: the cues that follow it are made again.
  mutating func stepIsNoticed(_ moment: Moment) {
    guard interval?.start.followsClock == true else { return }
    mustBeSilent(.interval, by: moment.elapsed + Oracle.fade)
  }

  /// A service that ends has looked at the clock: what a clock that was set back shows again is due
  /// after the next start.
  mutating func setBack(_ moment: Moment) {
    base = base.map { min($0, moment.shown) }
    for source in entries.keys {
      let since = entries[source]!.alarm?.since
      entries[source]!.alarm?.since = since.map { min($0, moment.shown) }
    }
  }

  /// The clock was set by so little that the service has not noticed it.
  mutating func slip(_ step: Int64) { if step != 0 { change { $0.slip(step) } } }

  /// Plans the words before zero anew, for all timers.
  mutating func plansWords(_ moment: Moment) {
    for source in entries.keys { entries[source]!.plansWords(moment) }
  }

  mutating func save(_ moment: Moment, _ face: OracleFace) {
    saved = Saved(
      entries: entries, interval: interval, base: base, moment: moment, powerCuts: powerCuts,
      face: face)
  }

  /// The face of the zone when it was last saved.
  var savedFace: OracleFace? { saved.face }

  mutating func powerCame() { powerCuts += 1 }

  mutating func start(_ moment: Moment) {
    (entries, interval, base) = (saved.entries, saved.interval, saved.base)
    let wasPowerCut = saved.powerCuts != powerCuts
    if wasPowerCut {
      let last = saved.moment
      change { $0.powerCame(savedAt: last) }
    }
    for source in entries.keys {
      // What was due when the service ended still is.
      if let alarm = entries[source]!.alarm, let owed = alarm.owed {
        entries[source]!.alarm!.since = min(owed - 1, alarm.since ?? base ?? .max)
      }
      entries[source]!.start(moment, wasPowerCut)
    }
    // It has begun before, even if a clock that is behind says that it has not.
    if wasPowerCut, let start = interval?.start, start.passed(moment) < 0 {
      interval?.start = Reckoned(0, after: moment)
    }
    if interval?.isOver == true { interval = nil }
    interval?.isSilenced = false
    interval?.expects(from: moment)
    plansWords(moment)
    isDoubtful = true
    sounding = [:]
    spans = []
    order = nil
    (told, isToldUnsaid) = (nil, false)
    alarmOrder = nil
    nextAlarm = nil
    (looked, lookedUptime) = (moment, nil)
    (wasClockGood, wasClockRight) = (false, false)
    reached = entries.values.flatMap { [$0.alarm?.acknowledged, $0.alarm?.ring] }
      .compactMap { $0 }.max()
  }

  /// The clock can be used from now on: for alarms alone, or for all.
  mutating func trusted(_ moment: Moment, alarmsAlone: Bool) {
    guard isDoubtful else { return }
    isDoubtful = alarmsAlone
    if !alarmsAlone, entries.values.contains(where: { $0.rings?.followsClock == true }) {
      lastFollowed = moment.elapsed
    }
    for source in entries.keys where entries[source]?.alarm != nil || !alarmsAlone {
      if !alarmsAlone { entries[source]!.change { $0.trusted(moment) } }
      if !alarmsAlone, let from = entries[source]!.alarm?.from {
        entries[source]!.alarm!.since = from.shown(moment)
        entries[source]!.alarm!.from = nil
        nextAlarm = nil
      }
      entries[source]!.alarm?.isUntrustedTold = false
    }
    if !alarmsAlone, interval?.start.followsClock == true {
      interval?.start.trusted(moment)
      // A cue that was about to be heard may have been moved a moment ago.
      interval?.expects(from: moment.later(by: 10 * second))
    }
  }

  private mutating func change(_ change: (inout Reckoned) -> Void) {
    for source in entries.keys { entries[source]!.change(change) }
    if interval != nil { change(&interval!.start) }
  }

  /// No cue of this source may be heard after that; nil means all sources.
  mutating func mustBeSilent(_ source: Cue.Source?, by elapsed: Int64) {
    for (id, cue) in sounding where source == nil || cue.source == source {
      sounding[id]!.silentBy = min(cue.silentBy, elapsed)
    }
  }
}

extension TimerReckoning.Entry {
  /// Resets the entry when the service starts.
  fileprivate mutating func start(_ moment: Moment, _ wasPowerCut: Bool) {
    isSilenced = false
    isOverdue = false
    owesRing = false
    words = nil
    alarm?.isUntrustedTold = false
    alarm?.owed = nil
    // It is not known any more how long ago it was set.
    if wasPowerCut, alarm?.from != nil { alarm?.from = Reckoned(0, after: moment) }
    // It has rung before, even if a clock that is behind says that it has not.
    if let rings, rings.passed(moment) < 0 { state = .ringing(Reckoned(0, after: moment)) }
  }
}
