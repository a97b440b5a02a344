import Basics
import CSystemd
import Daemon
import Horology
import Sound

extension BusReader {
  /// The longest path of a tune, in bytes.
  private static let longestPath = 1024

  /// The order for the alarms that a call gives; nil if the call is about something else. sd-bus
  /// has checked the call's signature.
  /// - Throws: `Refusal` if the time, the days, the tune or the rise cannot be read.
  static func alarmOrder(
    _ member: String, _ call: OpaquePointer
  ) throws(BusServer.Refusal) -> AlarmOrder? {
    switch member {
    case "SetAlarm": return .set(try plan(call))
    // These two take no name and mean all alarms. An empty name does not: a script may pass an
    // unset variable.
    case "SnoozeAlarms": return .snooze(nil)
    case "StopAlarms": return .stop(nil)
    case "SnoozeAlarm": return text(call).map { .snooze($0) }
    case "StopAlarm": return text(call).map { .stop($0) }
    case "SkipAlarm": return text(call).map { .skip($0) }
    case "CancelAlarm": return text(call).map { .cancel($0) }
    default: return nil
    }
  }

  private static func plan(_ call: OpaquePointer) throws(BusServer.Refusal) -> AlarmPlan {
    guard let time = text(call), let days = text(call), let name = text(call),
      let tune = text(call), let rise = text(call)
    else { throw .badArgument("five values are wanted") }
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
          throw Fault("tune '\(tune.excerpt)'", "write the full path of its file, from / on")
        }
        plan.tune = try Sounds.tune(tune)
      }
      if !rise.isEmpty { plan.rise = try AlarmRise.rise(text: rise) }
      return plan
    } catch {
      throw .badArgument("\(error)")
    }
  }
}
