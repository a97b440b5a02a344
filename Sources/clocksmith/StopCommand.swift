import Basics
import Devices
import Horology
import Service

let stopCommand = Subcommand(
  name: "stop", operands: "", mostOperands: 0,
  summary: "fade out what sounds",
  details: """
    Fades out what sounds now, and stops timers and alarms that ring. The next occasion sounds
    again. If nothing rings and nothing is being said, it ends the running interval. An alarm that
    is snoozed rings again all the same; if nothing sounds, the command says when.
    """,
  options: []
) { _ in
  try runningService().change { service in
    let before = try? service.status()
    try service.stop()
    if let before, before.isSilent { try tellOfSnoozes(before) }
  }
  return ExitStatus.done
}

/// Prints for each snoozed alarm when it rings again, and how to end it.
private func tellOfSnoozes(_ status: Status) throws {
  let snoozed = status.alarms.filter { $0.state == "snoozing" }
  guard !snoozed.isEmpty else { return }
  let zone = try zoneOfService(status.zone)
  for alarm in snoozed {
    let outlook = alarm.outlook(at: SystemClock.now.instant, zone)
    try say(
      "\(alarm.title) is snoozed: \(outlook); 'clocksmith alarm stop \(alarm.number)' ends it")
  }
}

extension Status {
  /// True if there is nothing that `stop` would end.
  fileprivate var isSilent: Bool {
    playing.isEmpty && intervals.isEmpty && !timers.contains { $0.state == "ringing" }
      && !alarms.contains { $0.state == "ringing" }
  }
}
