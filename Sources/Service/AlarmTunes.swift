import Basics
import Daemon
import Horology
import Sound

/// Finds the tunes of the alarms and their bells. Without its tune or a bell, an alarm rings with
/// the signal.
struct AlarmTunes {
  /// The names of the tunes whose fault was logged.
  private var missing: Set<String> = []

  /// Looks again for missing tunes, and adds the bells of every alarm's tune to the composer.
  /// - Parameter log: called once for each tune that is missing or lacks a bell.
  /// - Returns: the tunes that were read again and, as `.missing`, those that cannot be used.
  mutating func find(
    for alarms: [Reminder], _ composer: inout Composer, _ log: (Reminder, Fault) -> Void
  ) -> [Tune] {
    var changed: [Tune] = []
    for alarm in alarms {
      guard let tune = alarm.alarm?.tune else { continue }
      do throws(Fault) {
        if !tune.isMissing, (try? composer.add(tune)) != nil {
          missing.remove(tune.name)
          continue
        }
        // The file may have appeared or been repaired since.
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

  /// Notes that the tune of an alarm could not be played when the alarm was to ring.
  /// - Parameter log: called unless the fault of this tune was logged before.
  mutating func markMissing(
    _ cue: Cue, lacksTune fault: Fault, _ alarms: [Reminder], _ log: (Reminder, Fault) -> Void
  ) {
    guard let alarm = alarms.first(where: { cue.source == .alarm($0.number) }),
      let tune = alarm.alarm?.tune, missing.insert(tune.name).inserted
    else { return }
    log(alarm, fault)
  }
}

extension Journal {
  func log(_ alarm: Reminder, lacksTune fault: Fault) {
    log(
      .alarmLacksTune, .warning, "\(alarm.title) rings with the signal: \(fault)",
      ["CAUSE": "alarm", "ALARM": String(alarm.number), "ALARM_NAME": alarm.name])
  }
}
