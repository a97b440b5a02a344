import Basics
import CSystemd
import Daemon
import Horology

extension BusReader {
  /// The order for the timers that a call gives; nil if the call is about something else. sd-bus
  /// has checked the call's signature. The values are checked when the order is carried out.
  static func timerOrder(_ member: String, _ call: OpaquePointer) -> TimerOrder? {
    switch member {
    case "StartTimer":
      guard let length = duration(call), let name = text(call) else { return nil }
      return .start(length, name: name.isEmpty ? nil : name)
    case "AddToTimer":
      guard let which = text(call), let span = duration(call) else { return nil }
      return .add(span, to: which)
    case "PauseTimer": return text(call).map { .pause($0) }
    case "ResumeTimer": return text(call).map { .resume($0) }
    case "CancelTimer": return text(call).map { .cancel($0) }
    case "TellTimer": return text(call).map { .tell($0.isEmpty ? nil : $0) }
    case "StartInterval":
      guard let every = unsigned(call), let replaces = flag(call) else { return nil }
      return .startInterval(.plain(every: duration(every)), replaces: replaces)
    case "StartRounds":
      guard let work = unsigned(call), let rest = unsigned(call), let rounds = uint32(call),
        let prepare = unsigned(call), let countdown = uint32(call), let words = flag(call),
        let replaces = flag(call)
      else { return nil }
      let plan = plan(
        every: 0, work: work, rest: rest, rounds: rounds, prepare: prepare, countdown: countdown,
        words: words)
      return .startInterval(plan, replaces: replaces)
    case "StopInterval": return .stopInterval
    default: return nil
    }
  }

  /// - Parameters:
  ///   - every: the period of a plain interval; 0 for rounds.
  ///   - rounds: 0 for no end.
  static func plan(
    every: UInt64, work: UInt64, rest: UInt64, rounds: UInt32, prepare: UInt64, countdown: UInt32,
    words: Bool
  ) -> IntervalPlan {
    if every != 0 { return .plain(every: duration(every)) }
    return .rounds(
      IntervalRounds(
        work: duration(work), rest: duration(rest), count: rounds == 0 ? nil : Int(rounds),
        prepare: duration(prepare), countdown: Int(countdown), saysWords: words))
  }

  private static func duration(_ call: OpaquePointer) -> Duration? {
    unsigned(call).map { duration($0) }
  }

  /// Clamped, so that nanoseconds fit 64 bits; a clamped duration is still too long for any timer.
  private static func duration(_ microseconds: UInt64) -> Duration {
    .microseconds(Int64(clamping: min(microseconds, UInt64(Int64.max / 1000))))
  }
}
