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
    is snoozed rings again all the same, and the command says when.
    """,
  options: []
) { _ in
  try runningService().change { service in
    try service.ask(.stop)
    for line in snoozes(service) {
      try tellDone(line)
    }
  }
  return ExitStatus.done
}

private func snoozes(_ service: RunningService) -> [String] {
  guard let status = try? service.status() else { return [] }
  let snoozed = status.alarms.filter { $0.alarm.isUp && !$0.alarm.isRinging }
  guard !snoozed.isEmpty, let zone = try? zoneOfService(status.zone) else { return [] }
  return snoozed.map { listed in
    let (alarm, outlook) = (listed.alarm, listed.outlook(at: SystemClock.now.instant, zone))
    return "\(alarm.title) is snoozed: \(outlook); 'clocksmith alarm stop \(alarm.number)' ends it"
  }
}
