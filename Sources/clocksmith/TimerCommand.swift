import Basics
import Devices
@preconcurrency import Glibc
import Horology
import Service

let timerCommand = Subcommand(
  name: "timer",
  operands: "LENGTH | list | left | add SPAN | pause | resume | stop | remove [TIMER]",
  mostOperands: 4,
  summary: "count down and ring, list the timers or change one",
  details: """
    LENGTH           starts a timer, as in 10m, 90s or 1h30m: from 1s to 744h. At zero it rings, and
                     the voice says its name or its length. It rings until 'clocksmith stop', a
                     press of the button, or ring_limit.
    list             lists the timers.
    left [TIMER]     says how much is left.
    add SPAN [TIMER] adds SPAN to what is left; a timer that rings counts down from SPAN.
    pause [TIMER], resume [TIMER]
                     pauses the timer, or lets it continue.
    stop [TIMER]     ends a timer that rings, or all that ring.
    remove [TIMER]   removes the timer, whether it rings or not.

    TIMER is a name or a number. You can leave it out while there is only one timer. Write -- before
    a name that begins with -, as in 'timer remove -- -x'. The running service keeps the timers,
    also over a restart or a power cut. Without a service, or with --config, the command itself
    counts down and rings, until Ctrl-C.
    """,
  options: TimerPlan.fields.options() + [
    Option(
      name: "wait", argument: nil,
      help:
        "show how much is left until the timer ends; exit\nstatus 1 if it was removed before "
        + "zero or nobody\nheard it; Ctrl-C also exits with 1, and the timer\ngoes on"),
    Option(name: "json", argument: nil, help: "list: print one JSON object a line"),
    configOption,
  ]
) { arguments in
  let one = Action(words: 0...1)
  let (first, others) = try arguments.action(
    of: "timer",
    [
      "list": Action(options: ["json"]), "left": one, "pause": one, "resume": one, "stop": one,
      "add": Action(words: 1...2, wants: "a length, as in 'timer add 2m'"), "remove": one,
      "cancel": one,
    ],
    wants: "a length, as in 10m, or list, left, add, pause, resume, stop or remove",
    usual: (
      "a timer that is started",
      Action(options: Set(TimerPlan.fields.options().map(\.name) + ["wait", "config"]))
    ))
  switch first {
  case "list": try list(asJSON: arguments.has("json"))
  case "left":
    let service = try runningService()
    // The service would tell of the timer that ends next, and no voice could say which that is.
    let answer = try service.ask(.reminder(.tell(try timer(others.first, of: service))))
    try tellDone(answer[Request.Keys.text] ?? "")
  case "add":
    // The unit may stand apart, as in `add 1 min`.
    let words = others.joined(separator: " ")
    let isOneLength = Duration(timer: words) != nil
    let span = try length(isOneLength ? words : others[0])
    try change(isOneLength ? nil : others[1]) { .add(span, to: $0) }
  case "pause": try change(others.first) { .pause($0) }
  case "resume": try change(others.first) { .resume($0) }
  case "stop": try runningService().change { try $0.stopRing(of: .timer, others.first) }
  case "remove", "cancel":
    try runningService().change { try $0.remove(.timer, try timer(others.first, of: $0)) }
  default: return try start(try length(first), arguments)
  }
  return ExitStatus.done
}

private func length(_ text: String) throws -> Duration {
  guard let length = Duration(timer: text), Reminder.shortest <= length, length <= Reminder.longest
  else {
    throw Misuse(
      description: "'\(text.shortened)' is no length for a timer; write one from 1s to 744h, "
        + "as 10m, 90s, 1h30m or 0:10:00, and its name behind --name")
  }
  return length
}

private func start(_ length: Duration, _ arguments: Arguments) throws -> Int32 {
  var plan = TimerPlan(length)
  try arguments.fill(&plan, TimerPlan.fields)
  guard !arguments.has("config"), let service = reachableService() else {
    return try ForegroundTimer(
      .reminder(.start(plan)), configurationPath: arguments["config"]
    ).run()
  }
  let (number, title) = try service.change { service in
    let number = try service.ask(.reminder(.start(plan)))[.number] ?? 0
    let title = Reminder.title(.timer, number, plan.name)
    try tellDone("\(title): \(length.inFull)")
    return (number, title)
  }
  guard arguments.has("wait") else { return ExitStatus.done }
  return try TimerWait(service, number, title).run()
}

private func timer(_ named: String?, of service: RunningService) throws -> String {
  if let named { return named }
  let timers = try service.status().timers
  guard timers.count <= 1 else {
    let names = timers.prefix(5).map { $0.name ?? "\($0.number)" }
    throw Misuse(
      description: "there are \(timers.count) timers; name one of them: "
        + names.joined(separator: ", ") + (timers.count > 5 ? ", ..." : ""))
  }
  guard let only = timers.first else {
    throw Fault("", OrderRefusal.noTimer.description)
  }
  return "\(only.number)"
}

/// Changes a timer, and prints how it stands if it is still there.
private func change(_ named: String?, _ order: (String) -> ReminderOrder) throws {
  try runningService().change { service in
    let which = try timer(named, of: service)
    try service.ask(.reminder(order(which)))
    if let timer = try service.status().timers.called(which).first {
      try tellDone(timer.line(at: SystemClock.now.instant))
    }
  }
}

private func list(asJSON: Bool) throws {
  let timers = try runningService().status().timers
  let now = SystemClock.now.instant
  for timer in timers { try say(asJSON ? timer.shown.json : timer.line(at: now)) }
  if timers.isEmpty && !asJSON { try say("no timer") }
}

extension Reminder {
  /// As in `timer 2 "tea": 4 min 12 s left of 10 min`.
  func line(at instant: Instant) -> String {
    let what = "timer \(numberAndName)"
    let length = length ?? .zero
    return switch state {
    case .ringing, .snoozing: "\(what): rings, after \(length.inFull)"
    case .paused: "\(what): paused, \(left(at: instant).left(of: length))"
    case .waiting: "\(what): \(left(at: instant).left(of: length))"
    }
  }
}
