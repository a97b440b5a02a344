import Horology

/// The world as the timeline has left it: the settings, the switch, the mute, the clock's
/// trust, what is heard, and when something last disturbed.
struct Situation {
  private(set) var settings: AnnouncerSettings
  /// The steps of the clock of the last minutes.
  private var steps: [(at: Int64, by: Int64)] = []
  private(set) var trust = ClockTrust.synchronised
  /// What the service reads of the switch.
  private(set) var switchState = SwitchState.absent
  /// What a person has muted. The end is that of a duration, nil where that is not known: the power
  /// was cut.
  private(set) var mute: (state: SoftwareMute, end: Int64?) = (.off, nil)
  /// False while the service does not run, or is stopping.
  private(set) var isUp = false
  /// When the service last saved its state.
  private var saved: Int64 = .never
  /// What is heard, and since when.
  private(set) var heard: [SoundingID: (sounding: Sounding, since: Int64)] = [:]
  /// Until when each cause has disturbed.
  private var until = [Int64](repeating: .never, count: Cause.allCases.count)

  /// A difference that nobody hears.
  static let tolerance = 10 * millisecond
  /// From a stop to silence.
  static let fade = 30 * millisecond
  /// How long after its first frame the player has told that something is heard, though the loop may
  /// just be held up. Until then it counts as still to come, which nobody notices.
  static let told = 300 * millisecond

  init(settings: AnnouncerSettings) { self.settings = settings }

  mutating func apply(_ fact: Fact, _ at: Moment) {
    if let cause = fact.cause { disturbed(cause, at.elapsed) }
    switch fact {
    case .disturbed(let cause, let lasting): disturbed(cause, at.elapsed + lasting)
    case .clockSet(let by):
      steps.removeAll { $0.at < at.elapsed - 10 * minute }
      steps.append((at.elapsed, by))
    case .powerCame: mute.end = nil
    case .judged(let trust, _):
      if trust != self.trust { disturbed(.trust, at.elapsed) }
      self.trust = trust
    // It judges the clock anew.
    case .started: (isUp, trust) = (true, .untrusted)
    case .stopping: isUp = false
    case .ended(let isKilled):
      (isUp, switchState, heard) = (false, .absent, [:])
      // A mute, or its end, may not have been saved.
      if isKilled, happened(.mute, since: saved) { mute = (.until(Instant(seconds: 0)), nil) }
    case .rested(let isSaved): if isSaved { saved = at.elapsed }
    case .took(let settings): self.settings = settings
    case .read(let switchState): self.switchState = switchState
    case .ordered(.mute(let state)):
      mute = (state, nil)
      if case .until(let end) = state { mute.end = at.elapsed + end.nanoseconds - at.shown }
    // A mute of the next occasion ends with it.
    case .told(.skipped(_, _, .muted)) where mute.state == .next:
      mute.state = .off
      disturbed(.mute, at.elapsed)
    case .told(.mute(.off, _)):
      if case .until = mute.state, mute.end == nil { mute.state = .off }
    case .heard(let kind, let sounding):
      if kind == .begins { heard[sounding.id] = (sounding, at.elapsed) }
      if kind == .ends { heard[sounding.id] = nil }
    default: break
    }
  }

  private mutating func disturbed(_ cause: Cause, _ end: Int64) {
    until[cause.rawValue] = max(until[cause.rawValue], end)
  }

  // MARK: Questions

  /// True if nothing has disturbed since then.
  func isCalm(since elapsed: Int64) -> Bool { isUp && until.allSatisfy { $0 < elapsed } }

  /// True if one of these has disturbed since then.
  func happened(_ causes: Cause..., since elapsed: Int64) -> Bool {
    causes.contains { until[$0.rawValue] >= elapsed }
  }

  /// What the clock shows, and what it would show without its latest steps: a sound that is already
  /// queued cannot follow a step.
  func readings(_ at: Moment, over span: Int64 = 12 * second) -> [Int64] {
    var readings = [at.shown]
    for step in steps.reversed() where step.at >= at.elapsed - span {
      readings.append(readings.last! - step.by)
    }
    return readings
  }

  /// That a sound is off its moment by the clock, or later than allowed. What is queued does not
  /// follow a step of the clock.
  func isOff(_ due: Int64, _ at: Moment, late: Int64 = 0) -> String? {
    if happened(.rules, since: at.elapsed - 2 * minute) { return nil }
    let errors = readings(at, over: 2 * minute).map { $0 - due }
    return errors.contains { (-Self.tolerance...Self.tolerance + late).contains($0) }
      ? nil : "it is \(Duration.nanoseconds(errors[0]).roughly) off its moment"
  }

  /// True if alarms go by the clock.
  var goesByClock: Bool { trust != .untrusted || settings.untrusted == .speak }

  var isSilenced: Bool {
    if case .lost = switchState { settings.whenLost == .mute } else { switchState == .off }
  }

  /// True if the switch silences timers, alarms and the interval.
  var silencesReminders: Bool { isSilenced && settings.silences == .everything }
}
