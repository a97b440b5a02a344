import Basics
import Foundry
@preconcurrency import Glibc
import Sound
import Studio

let bellsCommand = Subcommand(
  name: "bells", operands: "list | render DIR", mostOperands: 2,
  summary: "list the bells and signals, or render them as sound files",
  details: """
    list        prints a line for each sound: its name, the strike note of a bell and its tuning,
                how many takes there are and how long each lasts.
    render DIR  writes every take of every bell, the pips of the time signal and the cuckoo into
                DIR, as mono 16 bit FLAC at 48 kHz. The files are the same to the bit each time. DIR
                is made if it is missing, and files of the same names in it are replaced.

    With --signals, both are for the signals of timers, intervals and alarms; list then prints the
    name of each signal, its notes and how long it lasts.
    """,
  options: [
    Option(
      name: "tuning", argument: "TUNING",
      help:
        "authentic, as the bells of Westminster were\nmeasured, or concert, equal temperament with "
        + "A at\n440 Hz (default: authentic)"),
    Option(
      name: "bell", argument: "NAME",
      help: "this bell or sound alone, as E3, F#4, ship, pip,\ncuckoo, or a signal, as work"
    ),
    Option(
      name: "signals", argument: nil,
      help: "the signals of timers, intervals and alarms\ninstead of the bells"),
  ]
) { arguments in
  guard ["list": 1, "render": 2][arguments.operands.first ?? ""] == arguments.operands.count else {
    throw Misuse(
      description: "bells wants 'list' or 'render DIR'; see 'clocksmith bells --help'")
  }
  let lists = arguments.operands[0] == "list"
  guard !arguments.has("signals") else {
    guard arguments["tuning"] == nil else {
      throw Misuse(description: "--tuning is for the bells; the signals have only one")
    }
    let takes = try chosen(SoundSet.signals.takes, arguments["bell"], kind: "signal")
    try lists ? listSignals(takes) : render(takes, into: arguments.operands[1])
    return ExitStatus.done
  }
  let words = arguments["tuning"] ?? Tuning.authentic.rawValue
  guard let tuning = Tuning(rawValue: words) else {
    throw Misuse(description: "--tuning '\(words.excerpt)' is not authentic or concert")
  }
  let bells = try BellTable(path: Sounds.file("bells/bells.ini"), tuning: tuning).bells
  let takes = try chosen(SoundSet(bells: bells).takes, arguments["bell"], kind: "bell")
  try lists ? list(takes, bells, tuning) : render(takes, into: arguments.operands[1])
  return ExitStatus.done
}

private func chosen(
  _ takes: [SoundSet.Take], _ name: String?, kind: String
) throws -> [SoundSet.Take] {
  guard let name else { return takes }
  let chosen = takes.filter { $0.name == name }
  guard !chosen.isEmpty else {
    var names: [String] = []
    for take in takes where !names.contains(take.name) { names.append(take.name) }
    throw Misuse(
      description: "no \(kind) '\(name)'; there are \(names.joined(separator: ", "))")
  }
  return chosen
}

private func list(_ takes: [SoundSet.Take], _ bells: [Bell], _ tuning: Tuning) throws {
  var names: [String] = []
  for take in takes where names.last != take.name { names.append(take.name) }
  for name in names {
    let ofThisName = takes.filter { $0.name == name }
    let count = "\(ofThisName.count) take\(ofThisName.count == 1 ? "" : "s")"
    let seconds = Double(ofThisName[0].sound().frames) / Double(standardRate)
    let strike = bells.first { $0.name == name }.map {
      "\($0.strike.text(decimals: 1)) Hz \(tuning.rawValue)"
    }
    try say(
      column(name, 10) + column(strike ?? "", 20) + column(count, 9)
        + "\(seconds.text(decimals: 1)) s")
  }
}

private func listSignals(_ takes: [SoundSet.Take]) throws {
  for take in takes {
    let seconds = Double(take.sound().frames) / Double(standardRate)
    try say(column(take.name, 10) + column(take.notes, 32) + "\(seconds.text(decimals: 1)) s")
  }
}

private func column(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(width - text.count, 1))
}

private func render(_ takes: [SoundSet.Take], into folder: String) throws {
  let isNew = mkdir(folder, 0o777) == 0
  if !isNew && errno != EEXIST { throw Fault("cannot make \(folder)", errno: errno) }
  do {
    for take in takes { try take.sound().write(to: "\(folder)/\(take.fileName)") }
  } catch {
    // rmdir removes only an empty folder; files that are complete stay.
    if isNew { rmdir(folder) }
    throw error
  }
}
