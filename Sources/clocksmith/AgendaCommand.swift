import Basics
import Devices
import Horology
import Service
import Sound

let agendaCommand = Subcommand(
  name: "agenda", operands: "", mostOperands: 0,
  summary: "list what will sound, and what will not and why",
  details: """
    Lists everything that will sound from one local time up to, but not including, another, and what
    will not sound, and why. Each occasion, each ring of an alarm and each timer has a line; of an
    interval only the next signal and the end are listed. It assumes that the clock is trusted and
    that the switch is on; if they silence the clock now, a note says so.

    The list is the running service's. With --config or --zone, or without a service, it has the
    settings and the alarms of the configuration.

    --picture draws the list instead: a row for each day, with quiet hours, bells, words and alarms.
    """,
  options: [
    Option(name: "from", argument: timeForm, help: "the start of the list (default: now)"),
    Option(
      name: "to", argument: timeForm,
      help: "the end of the list; this moment is not included"),
    Option(
      name: "hours", argument: "LENGTH",
      help: "the length, for example 3h, instead of --to\n(default: 24h; with --picture a week)"),
    zoneOption,
    Option(
      name: "picture", argument: "FILE.svg",
      help: "draw the list instead, at most \(AgendaPicture.mostDays) days of it"),
    Option(name: "json", argument: nil, help: "print one JSON object a line"),
    configOption,
  ]
) { arguments in
  let picture = try arguments.picture()
  if picture != nil, arguments.has("json") {
    throw Misuse(description: "--picture and --json exclude each other; give one of them")
  }
  let isSupposed = arguments.has("config") || arguments.has("zone")
  let service = isSupposed ? nil : reachableService()
  let configuration = try service == nil ? Configuration.load(path: arguments["config"]) : nil
  let zone =
    try configuration.map { try arguments.zone(or: $0) } ?? zoneOfService(service!.status().zone)
  let start = try arguments.instant("from", in: zone) ?? SystemClock.now.instant
  let end = try endOfAgenda(arguments, start, zone, usualDays: picture == nil ? 1 : 7)
  if picture != nil, start + .seconds(AgendaPicture.mostDays * 86_400) < end {
    throw Misuse(
      description: "--picture draws at most \(AgendaPicture.mostDays) days; choose fewer")
  }
  let ask: (Instant) throws(Fault) -> AgendaPart
  if let configuration {
    ask = try agenda(of: configuration, isSupposed: isSupposed, zone, from: start, to: end)
  } else {
    ask = { from throws(Fault) in try service!.agenda(from: from, to: end) }
  }
  var from = start
  var hasNextSignal = false
  var day = ""
  var drawn: [AgendaLine] = []
  while true {
    let part = try ask(from)
    if from == start { complain(ofSilenceIn: part) }
    for var line in part.lines {
      // Only the service gives numbers.
      if service == nil { line.record[.number] = nil }
      // Every part has the next signal of the interval.
      if line.isNextSignal, hasNextSignal { continue }
      hasNextSignal = hasNextSignal || line.isNextSignal
      if picture != nil {
        drawn.append(line)
      } else if arguments.has("json") {
        try say(line.record.json)
      } else {
        if line.day != day { try say(line.day) }
        day = line.day
        try say(line.words)
      }
    }
    guard from < part.until, part.until < end, !outputIsUnread else { break }
    from = part.until
  }
  if let picture {
    let (from, to) = (zone.civil(at: start).dateTime, zone.civil(at: end).dateTime)
    let svg = AgendaPicture(drawn, from: from, to: to, zone: zone.name).svg
    try writeText(svg, to: picture)
  }
  return ExitStatus.done
}

private func agenda(
  of configuration: Configuration, isSupposed: Bool, _ zone: SystemZone, from start: Instant,
  to end: Instant
) throws(Fault) -> (Instant) throws(Fault) -> AgendaPart {
  var configuration = configuration
  let composer = try configuration.composer()
  configuration.announcer.setVoice(composer.voice)
  let trust = isSupposed ? .synchronised : configuration.clockWatch.state.trust
  // From just before the start, so that an alarm that rings then is still to come.
  let announcer = Announcer(
    settings: configuration.announcer, zone: zone, trust: trust,
    at: Now(instant: start - .nanoseconds(1), uptime: SystemClock.uptime, sinceBoot: .zero))
  return { from in AgendaPart(of: announcer, composer, from: from, to: end, at: start, most: 1000) }
}

private func complain(ofSilenceIn part: AgendaPart) {
  if let scope = part.silencedBySwitch {
    let which = scope == .everything ? "nothing" : "no occasion"
    complain(
      "note: the switch silences the clock; until it is on again, \(which) in this list sounds")
  }
  if let policy = part.untrusted, policy != .speak {
    complain(
      "note: now silent: the clock is not trusted; until it is, no time in this list is said, and "
        + "no alarm rings")
  }
}

private func endOfAgenda(
  _ arguments: Arguments, _ start: Instant, _ zone: SystemZone, usualDays: Int64
) throws -> Instant {
  if let end = try arguments.instant("to", in: zone, after: start) {
    guard !arguments.has("hours") else {
      throw Misuse(description: "--to and --hours exclude each other; give one of them")
    }
    guard end >= start else { throw Misuse(description: "--to is before --from") }
    return end
  }
  guard let text = arguments["hours"] else { return start + .seconds(usualDays * 86_400) }
  // A century of hours, so that no sum leaves the range of an instant.
  let length = Int64(text).map { Duration.seconds(min(max($0, 0), 900_000) * 3600) }
  guard let length = length ?? Duration(text: text),
    (.seconds(60) ... .seconds(876_600 * 3600)).contains(length)
  else {
    throw Misuse(
      description: "--hours '\(text.shortened)' is no length; write one from 1min to 8760h, for "
        + "example 3h, or a number of hours to 876600")
  }
  return start + length
}
