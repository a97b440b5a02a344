import Basics
import Devices
import Horology
import Service
import Sound

/// What to do if the running service has another configuration than the one that was read.
let otherConfiguration =
  "the running service has another configuration than the one that is read here; after an edit, "
  + "reload it ('sudo systemctl reload clocksmith'); if it runs with --config, give that here, too"

let agendaCommand = Subcommand(
  name: "agenda", operands: "", mostOperands: 0,
  summary: "list what will sound, and what will not and why",
  details: """
    Lists every occasion from one local time up to, but not including, another, and every alarm,
    timer and interval: a line each. Of an interval the next signal and the end are listed. It
    supposes that the clock is trusted, and the switch on; 'clocksmith status' has what silences at
    this moment. Of the running service it shows the alarms, the timers, the interval, and as silent
    what is muted; if the service has another configuration, a note says so. With --config or
    --zone, or without a service, it shows the alarms of the configuration. With --json each line is
    an object with the keys instant, local, text, chime, strikes, sounds, reason and cause
    (occasion, alarm, timer or interval), and of an alarm, a timer or an interval name, number,
    signal and rise, null if it has none.
    """,
  options: [
    Option(name: "from", argument: timeForm, help: "the first moment (default: now)"),
    Option(name: "to", argument: timeForm, help: "the moment before which it ends"),
    Option(name: "hours", argument: "N", help: "in place of --to: so many hours (default: 24)"),
    zoneOption,
    Option(name: "json", argument: nil, help: "one JSON object a line"),
    configOption,
  ]
) { arguments in
  let configuration = try Configuration.load(path: arguments["config"])
  let isSupposed = arguments["config"] != nil || arguments["zone"] != nil
  let status = isSupposed ? nil : statusOfService(configuration)
  let zone =
    try status.map { status throws(Fault) in try zoneOfService(status.zone) } ?? arguments.zone()
  let start = try arguments.instant("from", in: zone) ?? SystemClock.now.instant
  let end = try endOfAgenda(arguments, start, zone)
  let composer = try configuration.composer()
  let mute = status.flatMap {
    $0.mute == .off ? nil : (mute: $0.mute, at: SystemClock.now.instant)
  }
  var occasions = configuration.agenda(
    composer, zone: zone, from: start, mute: mute.map { ($0.mute, at: $0.at) })
  let rules = Rules(configuration.announcer, trust: .synchronised)
  if let status, status.hasOtherSettings(than: rules, in: zone) {
    complain("note: \(otherConfiguration)")
  }
  var appointments =
    status?.appointments(rules, in: zone, from: start)
    ?? Appointments(of: configuration.announcer, in: zone, from: start)
  let isNumbered = status != nil
  var (occasion, appointment) = (occasions.next(), appointments.next())
  while true {
    let next = [occasion?.occasion.instant, appointment?.instant].compactMap { $0 }.min()
    guard let next, next < end else { break }
    let entry: AgendaLine
    // List the chime before a ring at the same instant.
    if let first = occasion, first.occasion.instant == next {
      entry = try AgendaLine(first.outlook, composer)
      occasion = occasions.next()
    } else if let first = appointment {
      entry = AgendaLine(first, composer, isNumbered: isNumbered)
      appointment = appointments.next()
    } else {
      break
    }
    try say(arguments.has("json") ? entry.json : entry.words)
  }
  return ExitStatus.done
}

/// The status of the running service; nil without one, or if it cannot be asked.
private func statusOfService(_ configuration: Configuration) -> Status? {
  do throws(Fault) {
    guard let service = try RunningService() else { return nil }
    let status = try service.status()
    if status.isSilencedBySwitch {
      let which = configuration.announcer.silences == .everything ? "nothing" : "no occasion"
      complain("note: the switch silences; until it is put on, \(which) of this sounds")
    }
    return status
  } catch {
    complain("note: mutes, timers and alarms of the service are not known of: \(error)")
    return nil
  }
}

private func endOfAgenda(
  _ arguments: Arguments, _ start: Instant, _ zone: SystemZone
) throws -> Instant {
  if let end = try arguments.instant("to", in: zone) {
    guard !arguments.has("hours") else {
      throw Misuse(description: "--to and --hours exclude each other; give one of them")
    }
    guard end >= start else { throw Misuse(description: "--to is before --from") }
    return end
  }
  guard let text = arguments["hours"] else { return start + .seconds(24 * 3600) }
  // A century of hours, so that no sum leaves the range of an instant.
  guard let hours = Int64(text), (1...876_600).contains(hours) else {
    throw Misuse(description: "--hours '\(text.shortened)' is no whole number from 1 to 876600")
  }
  return start + .seconds(hours * 3600)
}
