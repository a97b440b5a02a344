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
    let before = try service.status()
    try service.ask(.stop)
    let after = try service.status()
    var stopped = (before.timers + before.alarms.map(\.alarm)).filter(\.isRinging).map(\.title)
    if !before.playing.isEmpty { stopped.append("\"\(before.playing)\"") }
    if after.intervals.isEmpty { stopped += before.intervals.map { "interval of \($0.plan)" } }
    let words = stopped.isEmpty ? "nothing sounds" : "stopped: \(stopped.joined(separator: ", "))"
    try tellDone(words)
    for line in snoozes(after) { try tellDone(line) }
  }
  return ExitStatus.done
}

private func snoozes(_ status: Status) -> [String] {
  let snoozed = status.alarms.filter { $0.alarm.isUp && !$0.alarm.isRinging }
  guard !snoozed.isEmpty, let zone = try? zoneOfService(status.zone) else { return [] }
  return snoozed.map { listed in
    let (alarm, outlook) = (listed.alarm, listed.outlook(at: SystemClock.now.instant, zone))
    return "\(alarm.title) is snoozed: \(outlook); 'clocksmith alarm stop \(alarm.number)' ends it"
  }
}
