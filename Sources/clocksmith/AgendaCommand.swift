import Basics
import Devices
import Horology
import Service

let agendaCommand = Subcommand(
  name: "agenda", operands: "", mostOperands: 0,
  summary: "list what will sound, and what will not and why",
  details: """
    Lists every occasion from one local time up to, but not including, another: a line each. What
    is muted in the running service is shown as silent; with --config or --zone the service is not
    asked.
    With --json each line is an object with the keys instant, local, text, chime, strikes,
    sounds, reason and cause.
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
  let zone = try arguments.zone()
  let start = try arguments.instant("from", in: zone) ?? SystemClock.now.instant
  let end = try endOfAgenda(arguments, start, zone)
  let configuration = try Configuration.load(path: arguments["config"])
  let composer = try configuration.composer()
  let isSupposed = arguments["config"] != nil || arguments["zone"] != nil
  let mute = isSupposed ? nil : muteOfService()
  for entry in configuration.agenda(composer, zone: zone, from: start, mute: mute) {
    let outlook = entry.outlook
    let occasion = outlook.occasion
    guard occasion.instant < end else { break }
    let text = outlook.speaks ? try composer.text(of: occasion.civil) : ""
    if arguments.has("json") {
      let line = JSONLine()
      line.set("instant", occasion.instant.utcText())
      line.set("local", occasion.civil.description)
      line.set("text", text)
      line.set("chime", outlook.tune?.name ?? "none")
      line.set("strikes", outlook.strikes)
      line.set("sounds", outlook.refusal == nil)
      line.set("reason", outlook.refusal?.description)
      line.set("cause", "occasion")
      try say(line.text)
    } else {
      let heard = [outlook.tune?.inWords(at: occasion.civil), text].compactMap { $0 }
        .filter { $0 != "" }
      let note = outlook.refusal.map { "silent: \($0)" } ?? heard.joined(separator: ", ")
      try say("\(occasion.civil.weekday.abbreviation) \(occasion.civil)  \(note)")
    }
  }
  return ExitStatus.done
}

/// The mute of the running service; nil without one. If it cannot be asked, the list is made
/// without it.
private func muteOfService() -> (SoftwareMute, at: Instant)? {
  do throws(Fault) {
    guard let service = try RunningService() else { return nil }
    let status = try service.status()
    if status.isSilencedBySwitch {
      complain("note: the switch silences; until it is put on, nothing of this sounds")
    }
    return status.mute == .off ? nil : (status.mute, SystemClock.now.instant)
  } catch {
    complain("note: a mute is not known of: \(error)")
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
    throw Misuse(description: "--hours '\(text)' is no whole number from 1 to 876600")
  }
  return start + .seconds(hours * 3600)
}
