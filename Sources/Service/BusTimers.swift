import CSystemd
import Horology

extension BusReader {
  /// What a call wants of the timers; nil if it is about something else. sd-bus has made sure of its
  /// signature; the values are judged by who carries it out.
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
    default: return nil
    }
  }

  /// Microseconds; what is too long for anything stays too long.
  private static func duration(_ call: OpaquePointer) -> Duration? {
    unsigned(call).map { .microseconds(Int64(clamping: min($0, UInt64(Int64.max / 1000)))) }
  }
}
