import Basics
import Horology
import Relay

let deviceCommand = Subcommand(
  name: "device", operands: "add TOKEN|-, list, remove TOKEN", mostOperands: 2,
  summary: "add, list and remove the phones that get messages",
  details: """
    'add' registers the token that APNs has given to an app. For a token that is registered already,
    it renews the time of registration and changes only what the options name; a device that was
    deactivated gets messages again. 'add -' reads tokens from standard input, one a line. A note
    on standard error says if the configuration has no [apns], without which no device gets
    messages. The register is in /var/lib/clocksmith-relay and belongs to the service, so run it
    as root.
    """,
  options: [
    Option(
      name: "platform", argument: "NAME",
      help: "the system of the device: ios (default), ipados,\nmacos, tvos, visionos or watchos"),
    Option(
      name: "environment", argument: "NAME",
      help: "which server knows the token: production (default),\nor sandbox of an app from Xcode"),
    Option(
      name: "events", argument: "LIST",
      help: "the events it gets: all, or some of timer, alarm, trouble,\nclock, hour and occasion "
        + "(default: all but the\nlast two)"),
    configOption,
    jsonOption,
  ]
) { arguments in
  let operands = arguments.operands
  switch (operands.first, operands.count) {
  case ("add", 2):
    try arguments.refuse(
      allBut: ["platform", "environment", "events", "config"], of: "'device add'")
    try add(operands[1], arguments)
  case ("list", 1):
    try arguments.refuse(allBut: ["json"], of: "'device list'")
    try printDevices(refused: false, asJSON: arguments.has("json"))
  case ("remove", 2):
    try arguments.refuse(allBut: [], of: "'device remove'")
    guard try Register.use({ register throws(Fault) in try register.remove(token: operands[1]) })
    else {
      throw Fault("no device has the token \"\(operands[1].excerpt)\"", "see 'device list'")
    }
    try tellDone("removed 1 device", "it is removed")
  default:
    throw Misuse(
      description: "write 'add TOKEN', 'list' or 'remove TOKEN'; "
        + "see 'clocksmith-relay device --help'")
  }
  return ExitStatus.done
}

private func add(_ token: String, _ arguments: Arguments) throws {
  let isList = token == "-"
  let tokens = isList ? AnySequence(AnyIterator { readLine() }) : AnySequence([token])
  var devices: [Device] = []
  for (index, token) in tokens.enumerated() where !token.isEmpty {
    var record = Record(["token": .text(token)])
    for name in ["platform", "environment", "events"] {
      record[name] = arguments[name].map { .text($0) }
    }
    do throws(BadValue) {
      devices.append(try Device(record))
    } catch {
      throw Misuse(description: isList ? "line \(index + 1): \(error)" : error.description)
    }
  }
  try Register.use { register throws(Fault) in try register.add(devices, at: .now) }
  let done = "registered \(devices.count) device\(devices.count == 1 ? "" : "s")"
  try tellDone(done, done)
  guard !devices.isEmpty else { return }
  let path = arguments["config"]
  do throws(Fault) {
    guard try RelayConfiguration.load(path: path).push.apns == nil else { return }
    throw Fault(path ?? RelayConfiguration.defaultPath, "there is no section [apns]")
  } catch {
    Main.program.complain("devices get no messages yet: \(error)")
  }
}

/// - Parameter refused: true to print only the devices that the provider refuses.
func printDevices(refused: Bool, asJSON: Bool) throws(Fault) {
  let devices = try Register.use { register throws(Fault) in try register.devices() }
  for device in devices where !refused || device.reason != nil {
    try say(asJSON ? device.json : device.line)
  }
}

extension RegisteredDevice {
  /// As in `2026-11-22T15:00:00Z  ios production  timer,alarm  TOKEN`. For a device that is refused,
  /// the reason comes first, and before it the time from which on it gets nothing.
  fileprivate var line: String {
    let refusal = reason.map { "\(deactivated?.rfc3339 ?? "active")  \($0)  " } ?? ""
    return "\(refusal)\(registered.rfc3339)  \(platform) \(environment)  \(events)  \(device.token)"
  }

  fileprivate var json: String {
    Record([
      "token": .text(device.token), "platform": .text(platform), "environment": .text(environment),
      "events": .list(events.split(separator: ",").map { .text(String($0)) }),
      "registered": .text(registered.rfc3339),
      "deactivated": deactivated.map { .text($0.rfc3339) }, "reason": reason.map { .text($0) },
    ]).json
  }

  private var platform: String { device.platform?.rawValue ?? "" }
  private var environment: String { device.environment?.rawValue ?? "" }
  private var events: String { device.events?.text ?? "" }
}
