import Devices
import Horology
import Service
import Sound

let renderCommand = Subcommand(
  name: "render", operands: "", mostOperands: 0,
  summary: "write the announcement of a given time as a sound file",
  details: """
    Writes what is heard at a local time into a sound file, faster than real time, and prints
    where in it the anchor is, in seconds: the moment that is the announced time.
    """,
  options: [
    Option(name: "at", argument: timeForm, help: "the local time that is announced"),
    Option(name: "output", argument: "FILE.wav", help: "the file to write"),
    zoneOption, configOption,
  ]
) { arguments in
  guard let path = arguments["output"], arguments.has("at") else {
    throw Misuse(description: "render needs --at and --output; see 'clocksmith render --help'")
  }
  let zone = try arguments.zone()
  let instant = try arguments.instant("at", in: zone)!
  let time = zone.civil(at: instant)
  guard time.dateTime.second == 0 else {
    throw Misuse(description: "--at \(time.dateTime) is not a whole minute, and cannot be said")
  }
  let configuration = try Configuration.load(path: arguments["config"])
  let programme = configuration.announcer.programme(at: time, trust: .synchronised)
  let score = try configuration.composer().score(of: time, programme, rate: standardRate)
  try score.write(toWAV: path)
  let anchor = Duration.seconds(Double(score.anchor) / Double(score.rate))
  try say("anchor: \(anchor.secondsText)")
  if let refusal = configuration.announcer.refusal(at: time, trust: .synchronised, ringer: .absent)
  {
    complain("note: at \(time.dateTime) the clock does not sound: \(refusal)")
  }
  return ExitStatus.done
}

extension Duration {
  /// In seconds with six decimals, rounded: `23.000000`.
  fileprivate var secondsText: String {
    let microseconds = (nanoseconds + 500) / 1000
    let fraction = String(microseconds % 1_000_000)
    return "\(microseconds / 1_000_000)." + String(repeating: "0", count: 6 - fraction.count)
      + fraction
  }
}
