import Basics
import Relay

let feedbackCommand = Subcommand(
  name: "feedback", operands: "", mostOperands: 0,
  summary: "the phones that are told no more, and why",
  details: """
    Lists the devices that the provider knows no more, with the reason it gave: Unregistered where
    the app is gone; BadDeviceToken where the token is none, or of the other environment. 'device
    add' takes one back. The register is the service's, so this is for root.
    """,
  options: [jsonOption]
) { arguments in
  try printDevices(gone: true, asJSON: arguments.has("json"))
  return ExitStatus.done
}
