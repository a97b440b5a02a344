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
  options: IntervalRounds.fields.options() + [
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
  let given = IntervalRounds.fields.map(\.name).first { arguments.has($0) }
  let text = arguments.operands.joined(separator: " ")
  if !text.isEmpty {
    if let given {
      throw Misuse(
        description: "--\(given) is for rounds; write --work '\(text.excerpt)' instead of "
          + "'\(text.excerpt)'; \(help)")
    }
    do throws(TextFlaw) {
      return .plain(every: try IntervalPlan.length(typed: text))
    } catch {
      throw Misuse(description: error.description)
    }
  }
  guard let given else {
    throw Misuse(
      description: "interval wants a length, as in 30s, or --work with one, or stop; \(help)")
  }
  if !arguments.has("work") {
    throw Misuse(description: "--\(given) is for rounds; add --work, as in --work 20s; \(help)")
  }
  var rounds = IntervalRounds(work: .zero)
  try arguments.fill(&rounds, IntervalRounds.fields)
  return .rounds(rounds)
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
