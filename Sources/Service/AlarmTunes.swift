import Basics
import Daemon
import Horology
import Sound

/// The tunes of the alarms, and their bells. Where one is not there the signal rings.
struct AlarmTunes {
  /// Of these it was told.
  private var missing: Set<String> = []

  /// Looks for the tunes that were missing, and gives the composer the bells of all.
  /// - Parameter log: told once of each that is not there, or lacks a bell.
  /// - Returns: the tunes that were missing and are there now, and those that are of no use, as
  ///   missing.
  mutating func find(
    for alarms: [Alarm], _ composer: inout Composer, _ log: (Alarm, Fault) -> Void
  ) -> [Tune] {
    var changed: [Tune] = []
    for alarm in alarms {
      guard let tune = alarm.plan.tune else { continue }
      do throws(Fault) {
        if !tune.isMissing, (try? composer.add(tune)) != nil {
          missing.remove(tune.name)
          continue
        }
        // Its file may be there by now, or mended.
        let found = try Sounds.tune(tune.name)
        try composer.add(found)
        changed.append(found)
        missing.remove(tune.name)
      } catch {
        changed.append(.missing(tune.name))
        if missing.insert(tune.name).inserted { log(alarm, error) }
      }
    }
    return changed
  }

  /// Takes in that the tune of an alarm could not be played when it was to ring.
  /// - Parameter log: told, unless it was told of this tune before.
  mutating func note(
    _ cue: Cue, lacksTune fault: Fault, _ alarms: [Alarm], _ log: (Alarm, Fault) -> Void
  ) {
    guard let alarm = alarms.first(where: { cue.source == .alarm($0.number) }),
      let tune = alarm.plan.tune, missing.insert(tune.name).inserted
    else { return }
    log(alarm, fault)
  }
}

extension Journal {
  func log(_ alarm: Alarm, lacksTune fault: Fault) {
    log(
      .alarmLacksTune, .warning, "\(alarm.title) rings with the signal: \(fault)",
      ["CAUSE": "alarm", "ALARM": String(alarm.number), "ALARM_NAME": alarm.name])
  }
}
