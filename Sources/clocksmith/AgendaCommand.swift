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
    Lists everything that will sound from one local time up to, but not including, another. It also
    lists what will not sound, and why. Each occasion, each ring of an alarm and each timer has a
    line; of an interval only the next signal and the end are listed.

    It assumes that the clock is trusted and that the switch is on. If the running service is silent
    now because of one of them, a note on standard error says so, and until when. If the service is
    running, the list has its alarms, timers and interval, and shows muted occasions as silent. If
    its next occasion or the quiet hours of an alarm show that the service has another configuration,
    a note says so.
    With --config or --zone, or without a service, the list has the alarms of the configuration.

    With --json each line is an object with the keys instant, local, text, chime, strikes, sounds,
    reason and cause (occasion, alarm, timer or interval). The line of an alarm, a timer or an
    interval also has name, number, signal and rise, each null if there is none.
    """,
  options: [
    Option(name: "from", argument: timeForm, help: "the start of the list (default: now)"),
    Option(
      name: "to", argument: timeForm,
      help: "the end of the list; this moment is not included"),
    Option(
      name: "hours", argument: "N",
      help: "the length in hours, instead of --to (default: 24)"),
    zoneOption,
    Option(name: "json", argument: nil, help: "print one JSON object a line"),
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
  let mute: (SoftwareMute, at: Instant)? = status.flatMap {
    $0.mute == .off ? nil : ($0.mute, at: SystemClock.now.instant)
  }
  var occasions = configuration.agenda(
    composer, zone: zone, from: start, mute: mute)
  let rules = Rules(configuration.announcer, trust: .synchronised)
  if let status, status.hasOtherSettings(than: rules, in: zone) || status.passes(rules, in: zone) {
    complain("note: \(otherConfiguration)")
  }
  var appointments =
    status?.appointments(rules, in: zone, from: start)
    ?? Appointments(of: configuration.announcer, in: zone, from: start)
  let isNumbered = status != nil
  var (occasion, appointment) = (occasions.next(), appointments.next())
  while true {
    let next = [occasion?.occasion.instant, appointment?.instant].compactMap { $0 }.min()
    guard let next, next < end, !outputIsUnread else { break }
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
      complain(
        "note: the switch silences the clock; until it is on again, \(which) in this list sounds")
    }
    if status.isSilencedByDoubt(configuration.announcer.untrusted) {
      complain(
        "note: now silent: the clock is not trusted; until it is, no time in this list is said, and "
          + "no alarm rings")
    }
    return status
  } catch {
    complain("note: the list lacks the mute, timers and alarms of the service: \(error)")
    return nil
  }
}

extension Status {
  /// True if the service passes over an occasion of these rules. One that is about to sound, or
  /// sounds, may be behind its next.
  fileprivate func passes(_ rules: Rules, in zone: SystemZone) -> Bool {
    let schedule = Schedule(interval: rules.settings.interval, zone: zone)
    return schedule.next(after: SystemClock.now.instant + .seconds(60)).instant < next.instant
  }

  /// True if the service is silent because its clock is not trusted.
  /// - Parameter configured: the policy that was read here. The service may run with another one,
  ///   which the bus does not tell, but which may show in what it does.
  fileprivate func isSilencedByDoubt(_ configured: UntrustedPolicy) -> Bool {
    guard trust == ClockTrust.untrusted.rawValue else { return false }
    // It is 'silent' or 'chime'.
    guard clockIsUsed else { return true }
    switch next.refusal?.key {
    case SkipReason.untrusted.key: return true
    // A mute is the last reason that is looked for.
    case nil, SkipReason.softwareMuted.key: return false
    default: return configured == .ask
    }
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
