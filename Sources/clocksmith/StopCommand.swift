import Basics

let stopCommand = Subcommand(
  name: "stop", operands: "", mostOperands: 0,
  summary: "fade out what sounds",
  details: """
    Fades out what sounds now, and stops timers and alarms that ring. The next occasion sounds
    again. If nothing rings and nothing is being said, it ends the running interval.
    """,
  options: []
) { _ in
  try runningService().change { try $0.stop() }
  return ExitStatus.done
}
