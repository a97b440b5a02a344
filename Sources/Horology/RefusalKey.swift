/// The key of a refusal, for programs: it does not change. The bus carries it and what is wrong;
/// each program adds what its own users can do about it. A request for the time may also be refused
/// with the key of a `SkipReason`.
public enum RefusalKey: String, CaseIterable, Sendable {
  case timerLength = "timer_length"
  case unknownTimer = "unknown_timer"
  case noTimer = "no_timer"
  case isPaused = "is_paused"
  case isNotPaused = "is_not_paused"
  case isRinging = "is_ringing"
  case noWords = "no_words"
  /// How much is left cannot be said now.
  case notTold = "not_told"
  case intervalRuns = "interval_runs"
  case noInterval = "no_interval"
  case tune, over
  case unknownAlarm = "unknown_alarm"
  case isNotRinging = "is_not_ringing"
  case noneRings = "none_rings"
  /// Of timers: none rings, or the one that was named does not.
  case noTimerRings = "no_timer_rings"
  case isUp = "is_up"
  case isOff = "is_off"
  case skipsNothing = "skips_nothing"
  case isConfigured = "is_configured"
  case name
  case nameIsTaken = "name_is_taken"
  case nameIsConfigured = "name_is_configured"
  case tooMany = "too_many"
  case notSaved = "not_saved"
  case past, busy, muted, untrusted
  case noZone = "no_zone"
  case tooNear = "too_near"
  case occasionIsNear = "occasion_is_near"

  /// Who reads it: somebody at a terminal, or who sends commands over MQTT or HTTP.
  public enum Reader: Sendable {
    case terminal, sender
  }

  /// What to do about it, as the end of a sentence; nil if that is plain from what is wrong.
  public func remedy(for reader: Reader) -> String? {
    func by(_ subcommand: String, _ command: String) -> String {
      reader == .terminal ? "'clocksmith \(subcommand)'" : "the command '\(command)'"
    }
    func list(_ things: String, _ subcommand: String) -> String {
      reader == .terminal ? "'clocksmith \(subcommand) list'" : "'\(things)' in the state"
    }
    let (timers, alarms) = (list("timers", "timer"), list("alarms", "alarm"))
    return switch self {
    case .timerLength: "choose a length within that"
    case .unknownTimer: "\(timers) shows those that there are"
    case .noTimer: "\(by("timer 10m", "timer")) starts one"
    case .isRinging: "\(by("stop", "stop")) stops it"
    case .noWords, .notTold, .noTimerRings: "\(timers) shows how much is left"
    case .intervalRuns where reader == .terminal: "stop it first, or start this one with --replace"
    case .intervalRuns: "send 'interval_stop' first, or this one with \"replace\": true"
    case .noInterval: "\(by("interval 30s", "interval")) starts one"
    case .over: "choose a later day"
    case .name: "choose another"
    case .unknownAlarm: "\(alarms) shows those that there are"
    case .isNotRinging: "\(alarms) shows when it will"
    case .noneRings: "\(alarms) shows when one will"
    case .isUp: "\(by("alarm stop", "alarm_stop")) ends it for the day"
    case .isOff: "\(by("alarm on", "alarm_on")) turns it on"
    case .isConfigured:
      "remove its section there and reload the service, take it back with \(by("set", "setting")), "
        + "or turn it off with \(by("alarm off", "alarm_off"))"
    case .nameIsTaken: "remove it, or choose another name"
    case .nameIsConfigured: "choose another name"
    case .tooMany: "remove one first"
    case .untrusted: reader == .terminal ? "'clocksmith check' says what to do" : nil
    case .noZone: "\(by("set clock.zone Europe/London", "setting")) sets one"
    case .busy, .occasionIsNear: "try again when it is over"
    case .muted: "\(by("unmute", "unmute")) ends that"
    case .isPaused, .isNotPaused, .skipsNothing, .tune, .notSaved, .past, .tooNear: nil
    }
  }

  /// What is wrong, and what to do about it.
  /// - Parameter key: of a refusal; it may be one that is not known here.
  public static func sentence(_ flaw: String, key: String, for reader: Reader) -> String {
    let remedy = RefusalKey(rawValue: key)?.remedy(for: reader)
    return flaw + (remedy.map { "; \($0)" } ?? "")
  }
}
