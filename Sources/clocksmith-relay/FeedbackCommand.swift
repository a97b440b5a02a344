import Basics
import Relay

let feedbackCommand = Subcommand(
  name: "feedback", operands: "", mostOperands: 0,
  summary: "list the devices that APNs refuses",
  details: """
    Unregistered: the app was removed; the device gets no more messages until 'device add' registers
    it again. BadDeviceToken: the token is wrong, or is of the other environment. DeviceTokenNotForTopic:
    the topic under [apns] is not the ID of its app. Such a device stays active, and is listed until
    it accepts a message. Run it as root.
    """,
  options: [jsonOption]
) { arguments in
  try printDevices(refused: true, asJSON: arguments.has("json"))
  return ExitStatus.done
}
