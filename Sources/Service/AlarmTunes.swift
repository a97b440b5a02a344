import Basics
import Daemon
import Horology
import Sound

/// The tunes of the alarms, and their bells. Where one is not there the signal rings.
struct AlarmTunes {
  /// Of these it was told.
  private var missing: Set<String> = []

  /// Looks for the tunes that were missing, and gives the composer the bells of all.
  /// - Returns: the tunes that were missing and are there now.
  mutating func find(
    for alarms: [Alarm], _ composer: inout Composer, _ journal: Journal
  ) -> [Tune] {
    var found: [Tune] = []
    for alarm in alarms {
      guard var tune = alarm.plan.tune else { continue }
      do throws(Fault) {
        let wasMissing = tune.isMissing
        if wasMissing { tune = try Sounds.tune(tune.name) }
        try composer.add(tune)
        if wasMissing { found.append(tune) }
        missing.remove(tune.name)
      } catch {
        guard missing.insert(tune.name).inserted else { continue }
        journal.log(
          .alarm, .warning, "\(alarm.title) rings with the signal: \(error)",
          ["CAUSE": "alarm", "ALARM": String(alarm.number), "ALARM_NAME": alarm.name])
      }
    }
    return found
  }
}
