import Basics
import Devices
import Horology
import Service

let intervalCommand = Subcommand(
  name: "interval", operands: "[LENGTH | stop]",
  mostOperands: 4,
  summary: "give a signal again and again, or in rounds of work and rest",
  details: """
    LENGTH           gives a signal at once, and then one after each LENGTH, as in 30s or 1m30s:
                     from 1s to 24h.
    --work LENGTH    starts rounds of work, with --rest between them. There are signals for getting
                     ready, work, half of the work, rest, the last round and the end. The last
                     seconds before work, rest and the end are counted down. With --words the voice
                     also says "go", "half", "rest", "work round two", "done" if there is time.
    stop             ends the running interval. The button does the same if nothing rings, and
                     'clocksmith stop' if nothing rings and nothing is being said.

    There is one interval at a time. Starting the same one again changes nothing. The running
    service keeps it, also over a restart or a power cut. Without a service, or with --config, the
    command itself gives the signals, until Ctrl-C.
    """,
  options: [
    Option(name: "work", argument: "LENGTH", help: "start rounds with this much work"),
    Option(name: "rest", argument: "LENGTH", help: "the rest after the work (default: none)"),
    Option(
      name: "rounds", argument: "N",
      help: "1 to \(IntervalPlan.mostRounds) rounds (default: until it is stopped)"),
    Option(
      name: "prepare", argument: "LENGTH",
      help: "time to get ready before the first round\n(default: none)"),
    Option(
      name: "countdown", argument: "N",
      help: "seconds to count down, 0 to \(IntervalPlan.longestCountdown) (default: 3)"),
    Option(
      name: "words", argument: nil,
      help: "the voice also says the phases of rounds, as with\nsay_phases = yes"),
    Option(name: "replace", argument: nil, help: "end the running interval, and start this one"),
    configOption,
  ]
) { arguments in
  if arguments.operands == ["stop"] {
    try arguments.refuse(allBut: [], of: "'interval stop'")
    try runningService().change { try $0.ask(.interval(.stop)) }
    try tellDone("the interval is over")
    return ExitStatus.done
  }
  let plan = try plan(arguments)
  guard !arguments.has("config"), let service = reachableService() else {
    return try ForegroundTimer(
      .interval(.start(plan, replaces: false)), configurationPath: arguments["config"]
    ).run()
  }
  try service.change { service in
    let order = IntervalOrder.start(plan, replaces: arguments.has("replace"))
    let isNew = try service.ask(.interval(order))[Request.Keys.isNew] != false
    let length = plan.length.map { ", \($0.inFull) in all" } ?? ""
    try tellDone("interval of \(plan)\(isNew ? length : " runs already, and goes on")")
  }
  return ExitStatus.done
}

private func plan(_ arguments: Arguments) throws -> IntervalPlan {
  let help = "see 'clocksmith interval --help'"
  var record = Record()
  let roundOptions = ["work", "rest", "rounds", "prepare", "countdown", "words"]
  let given = roundOptions.filter { arguments.has($0) }
  let text = arguments.operands.joined(separator: " ")
  if !text.isEmpty {
    if let option = given.first {
      throw Misuse(
        description: "--\(option) is for rounds; write --work '\(text.excerpt)' instead of "
          + "'\(text.excerpt)'; \(help)")
    }
    record["seconds"] = try seconds(text, atLeast: IntervalPlan.shortest)
  } else if given.isEmpty {
    throw Misuse(
      description: "interval wants a length, as in 30s, or --work with one, or stop; \(help)")
  }
  if let option = given.first, !arguments.has("work") {
    throw Misuse(description: "--\(option) is for rounds; add --work, as in --work 20s; \(help)")
  }
  for option in given {
    let text = arguments[option] ?? ""
    record[option] =
      switch option {
      case "work", "rest", "prepare": try seconds(text)
      case "words": .flag(true)
      default: Int64(text).map { .integer($0) } ?? .text(text)
      }
  }
  do throws(BadValue) {
    return try IntervalPlan(record)
  } catch {
    throw Misuse(description: given.isEmpty ? error.description : "--\(error)")
  }
}

private func seconds(_ text: String, atLeast least: Duration = .zero) throws -> Value {
  guard let length = Duration(timer: text), least <= length, length <= IntervalPlan.longest else {
    throw Misuse(
      description: "'\(text.shortened)' is no length; write one from 1s to 24h, as 30s, 90s or "
        + "1m30s")
  }
  return .integer(length.nanoseconds / 1_000_000_000)
}

extension IntervalPlan {
  /// The phase at this time after the start; nil once all is over.
  func moment(at passed: Duration) -> (title: String, left: Duration, length: Duration)? {
    guard let phase = phase(at: passed) else { return nil }
    let left = phase.end - max(passed, .zero)
    switch self {
    case .plain(let period): return ("every \(period.inFull)", left, period)
    case .rounds(let rounds):
      switch phase.kind {
      case .prepare: return ("prepare", left, rounds.prepare)
      case .rest: return ("rest, \(round(phase, of: rounds))", left, rounds.rest)
      case .work, .wait: return ("work, \(round(phase, of: rounds))", left, rounds.work)
      }
    }
  }

  private func round(_ phase: Phase, of rounds: IntervalRounds) -> String {
    "round \(phase.round)" + (rounds.count.map { " of \($0)" } ?? "")
  }
}
