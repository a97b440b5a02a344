import Basics
import Devices
@preconcurrency import Glibc
import Horology
import Service

let alarmCommand = Subcommand(
  name: "alarm",
  operands: "HH:MM | list | snooze|stop [ALARM] | skip|unskip|on|off|remove ALARM",
  mostOperands: 2,
  summary: "ring at a time of day, list the alarms or change one",
  details: """
    HH:MM            sets an alarm. It rings the next time that the clock shows HH:MM, or on the
                     days of --days or --date. After the first ring the voice says the time. It
                     rings until it is stopped or snoozed, or until ring_limit.
    list             lists the alarms.
    snooze [ALARM]   silences a ringing alarm for 10 min, and prints when it rings again; a press of
                     the button does the same.
    stop [ALARM]     ends an alarm that rings or is snoozed; 'clocksmith stop' ends those that ring.
    skip ALARM       leaves out its next ring, and prints when it rings after that.
    unskip ALARM     takes that back.
    off ALARM        keeps an alarm that does not ring until 'on'; of the configuration, too.
    remove ALARM     removes an alarm. An alarm of the configuration can only be removed there.

    ALARM is a name or a number. Without it, snooze is for all alarms that ring, and stop for all
    that ring or are snoozed. Write -- before a name that begins with -, as in 'alarm remove -- -x'.
    The running service keeps the alarms, also over a restart or a power cut. An alarm rings in
    quiet hours, too.
    """,
  options: AlarmPlan.fields.options() + [
    Option(name: "date", argument: "YYYY-MM-DD", help: "ring once, on that day, as 2026-12-24"),
    Option(
      name: "replace", argument: "ALARM",
      help: "change this alarm; what is not given stays"),
    Option(name: "json", argument: nil, help: "list: print one JSON object a line"),
  ]
) { arguments in
  let one = Action(
    words: 1...1, wants: "a name or a number; 'clocksmith alarm list' shows them")
  let (first, others) = try arguments.action(
    of: "alarm",
    [
      "list": Action(options: ["json"]), "snooze": Action(words: 0...1),
      "stop": Action(words: 0...1), "skip": one, "unskip": one, "on": one,
      "off": one, "remove": one, "cancel": one,
    ],
    wants: "a time, as in 07:00, or list, snooze, stop, skip, unskip, on, off or remove",
    usual: (
      "an alarm that is set",
      Action(options: Set(AlarmPlan.fields.options().map(\.name) + ["date", "replace"]))
    ))
  switch first {
  case "list": try list(asJSON: arguments.has("json"))
  case "snooze": try runningService().change { try snooze(others.first, $0) }
  case "stop": try runningService().change { try $0.stopRing(of: .alarm, others.first) }
  case "skip": try runningService().change { try skip(others[0], $0) }
  case "unskip": try runningService().change { try order(.unskip(others[0]), others[0], $0) }
  case "on", "off":
    try runningService().change { try order(.turn(others[0], on: first == "on"), others[0], $0) }
  case "remove", "cancel": try runningService().change { try $0.remove(.alarm, others[0]) }
  default: try set(first, arguments)
  }
  return ExitStatus.done
}

/// - Returns: false if there is none of these alarms.
@discardableResult
private func show(_ numbers: [Int?], _ service: RunningService) throws -> Bool {
  let status = try service.status()
  let zone = try zoneOfService(status.zone)
  let shown = status.alarms.filter { numbers.contains($0.alarm.number) }
  for alarm in shown { try tellDone(alarm.line(at: SystemClock.now.instant, zone)) }
  return !shown.isEmpty
}

private func snooze(_ which: String?, _ service: RunningService) throws {
  let ringing = try service.status().alarms.filter(\.alarm.isRinging).map(\.alarm.number)
  try service.ask(.reminder(.snooze(which)))
  try show(ringing, service)
}

private func skip(_ which: String, _ service: RunningService) throws {
  let number = try service.ask(.reminder(.skip(which)))[.number]
  if try !show([number], service) {
    try tellDone("alarm \(number ?? 0) is removed: it had no other ring")
  }
}

/// Shows the alarm that was changed; one that rang, and is gone by that, is not there.
private func order(_ order: ReminderOrder, _ which: String, _ service: RunningService) throws {
  let numbers = try service.status().alarms.map(\.alarm).called(which).map(\.number)
  try service.ask(.reminder(order))
  try show(numbers, service)
}

private func set(_ time: String, _ arguments: Arguments) throws {
  if arguments.has("days") && arguments.has("date") {
    throw Misuse(description: "--days and --date exclude each other; leave one of them out")
  }
  let replaced = arguments["replace"]
  var plan = try replaced.flatMap { try planned($0) } ?? AlarmPlan()
  do throws(TextFlaw) {
    plan.times.time = try TimeOfDay(text: time)
  } catch {
    let rest = time.contains(" ") ? "; days belong behind --days, and a name behind --name" : ""
    throw Misuse(description: error.description + rest)
  }
  try arguments.fill(&plan, AlarmPlan.fields)
  if let date = arguments["date"] {
    do throws(TextFlaw) {
      plan.times.days = try AlarmDays(date: date)
    } catch {
      throw Misuse(description: "--date \(error)")
    }
  }
  plan.tune = try plan.tune.map { .missing(try fullPath($0.name)) }
  try runningService().change { service in
    let order = ReminderOrder.set(plan, replaces: replaced)
    try show([try service.ask(.reminder(order))[.number]], service)
  }
}

/// What an alarm is set to; nil if there is none, which the service tells.
private func planned(_ which: String) throws -> AlarmPlan? {
  let named = try runningService().status().alarms.map(\.alarm).called(which).first
  return named?.alarm
}

/// The absolute path of a file, because the service runs in another folder.
private func fullPath(_ name: String) throws(Fault) -> String {
  // The service may see more than this process.
  guard name.contains("/"), !name.hasPrefix("/") else { return name }
  guard let path = resolved(name) else { throw Fault("--tune \(name.excerpt)", errno: errno) }
  return path
}

private func list(asJSON: Bool) throws {
  let status = try runningService().status()
  let alarms = status.alarms
  let now = SystemClock.now.instant
  let zone = try zoneOfService(status.zone)
  for alarm in alarms { try say(asJSON ? alarm.record.json : alarm.line(at: now, zone)) }
  if alarms.isEmpty && !asJSON { try say("no alarm") }
}
