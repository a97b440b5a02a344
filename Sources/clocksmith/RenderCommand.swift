import Basics
import Horology
import Service
import Sound
import Studio

let renderCommand = Subcommand(
  name: "render", operands: "", mostOperands: 0,
  summary: "write the announcement of a given time as a sound file, or draw it",
  details: """
    Writes the announcement of a local time into a sound file, faster than real time, or draws it,
    or both. It prints where in the file the announced moment is, in seconds, as in
    'anchor: 23.000000'. At this moment the first blow of the hour bell begins or, without one, the
    first blow or word.
    """,
  options: [
    Option(name: "at", argument: timeForm, help: "the local time to announce"),
    Option(
      name: "output", argument: "FILE.wav",
      help: "the sound file to write: FLAC if its name ends in\n.flac, CAF if in .caf"),
    Option(
      name: "picture", argument: "FILE.svg",
      help: "the picture to draw: the level over time, and\nevery clip and blow at its place"),
    Option(name: "chime", argument: "TUNE", help: "another chime than the configuration's"),
    zoneOption, configOption,
  ]
) { arguments in
  guard arguments.has("at"), arguments.has("output") || arguments.has("picture") else {
    throw Misuse(
      description: "render needs --at, and --output or --picture or both; "
        + "see 'clocksmith render --help'")
  }
  let sound = try arguments.soundFile()
  let picture = try arguments.picture()
  var configuration = try Configuration.load(path: arguments["config"])
  if let name = arguments["chime"] {
    let tune = try Sounds.tune(name, or: ["the path of a tune's file"])
    (configuration.announcer.chime, configuration.announcer.chimeQuarters) = (tune, tune)
  }
  let zone = try arguments.zone(or: configuration)
  let instant = try arguments.instant("at", in: zone)!
  let time = zone.civil(at: instant)
  guard time.dateTime.second == 0 else {
    throw Misuse(description: "--at \(time.dateTime) is not a whole minute, and cannot be said")
  }
  let programme = configuration.announcer.programme(at: time, trust: .synchronised)
  let tune = configuration.announcer.chime(at: time)
  let composer = try configuration.composerOfOneTime(with: tune)
  let score = try composer.score(of: time, programme, rate: standardRate)
  var heard: [String] = []
  if let tune { heard.append(tune.inWords(at: time)) }
  if programme.words != .none { heard.append("\"\(try composer.text(of: time))\"") }
  let title = "\(time.dateTime): \(heard.joined(separator: ", "))"
  try write(
    score, gain: configuration.gain(at: time), toWAV: sound,
    toSVG: picture, title, at: time)
  let anchor = Double(score.anchor) / Double(score.rate)
  try say("anchor: \(anchor.text(decimals: 6))")
  let occasion = Occasion(instant: instant, civil: time)
  let rules = Rules(configuration.announcer, zone: zone, trust: .synchronised)
  if let refusal = rules.refusal(of: occasion) {
    complain("note: at \(time.dateTime) the clock does not sound: \(refusal)")
  }
  return ExitStatus.done
}

private func write(
  _ score: Score, gain: Float, toWAV soundPath: String?, toSVG picturePath: String?,
  _ title: String, at time: CivilTime
) throws(Fault) {
  var writer: SoundFileWriter?
  if let soundPath { writer = try SoundFileWriter(path: soundPath, rate: score.rate) }
  var picture = picturePath.map { _ in
    Picture(of: score, title: title, anchorLabel: time.dateTime.timeOfDay)
  }
  try score.render(gain: gain) { block throws(Fault) in
    try writer?.write(block)
    picture?.add(block)
  }
  // The sound gets its name last: a picture that cannot be written leaves no sound behind.
  if let picture, let picturePath { try writeText(picture.svg, to: picturePath) }
  try writer?.finish()
}
