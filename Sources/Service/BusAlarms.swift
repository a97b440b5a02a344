import Basics
import CSystemd
import Daemon
import Horology
import Sound

extension BusReader {
  /// Of a tune's path, in bytes.
  private static let longestPath = 1024

  /// What a call wants of the alarms; nil if it is about something else. sd-bus has made sure of its
  /// signature.
  /// - Throws: `Refusal` for texts that say no time, no days, no tune or no rise.
  static func alarmOrder(
    _ member: String, _ call: OpaquePointer
  ) throws(BusServer.Refusal) -> AlarmOrder? {
    switch member {
    case "SetAlarm": return .set(try plan(call))
    // No name at all is not an empty one, as of a variable that is not set.
    case "SnoozeAlarms": return .snooze(nil)
    case "StopAlarms": return .stop(nil)
    case "SnoozeAlarm": return text(call).map { .snooze($0) }
    case "StopAlarm": return text(call).map { .stop($0) }
    case "CancelAlarm": return text(call).map { .cancel($0) }
    default: return nil
    }
  }

  private static func plan(_ call: OpaquePointer) throws(BusServer.Refusal) -> AlarmPlan {
    guard let time = text(call), let days = text(call), let name = text(call),
      let tune = text(call), let rise = text(call), let ringsInQuietHours = flag(call)
    else { throw .badArgument("six values are wanted") }
    do {
      var plan = AlarmPlan(
        name: name.isEmpty ? nil : name,
        AlarmTimes(
          time: try TimeOfDay(text: time), days: days.isEmpty ? .next : try AlarmDays(text: days)))
      if !tune.isEmpty, tune != "none" {
        guard tune.utf8.count <= Self.longestPath else {
          throw Fault(
            "tune", "its path is longer than \(Self.longestPath) bytes; choose a shorter one")
        }
        guard !tune.contains("/") || tune.hasPrefix("/") else {
          throw Fault("tune '\(tune)'", "write the whole path of its file, from / on")
        }
        plan.tune = try Sounds.tune(tune)
      }
      if !rise.isEmpty { plan.rise = try AlarmRise.rise(text: rise) }
      if ringsInQuietHours { plan.quietHours = .override }
      return plan
    } catch {
      throw .badArgument("\(error)")
    }
  }
}
