import Basics
import Relay

let feedbackCommand = Subcommand(
  name: "feedback", operands: "", mostOperands: 0,
  summary: "list the devices that get no more messages",
  details: """
    APNs no longer accepts these devices. Unregistered: the app was removed. 'device add' registers
    one again. Run it as root.
    """,
  options: [jsonOption]
) { arguments in
  try printDevices(gone: true, asJSON: arguments.has("json"))
  return ExitStatus.done
}
