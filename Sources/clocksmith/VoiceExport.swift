import Basics
import Horology
import Service
import Sound
import Studio

/// For a telephone that speaks by itself.
func exportVoice(_ name: String, _ arguments: Arguments) throws -> Int32 {
  guard let folder = try arguments.folder() else {
    throw Misuse(description: "voice export needs --output, the folder to make")
  }
  let configuration = try Configuration.load(path: arguments["config"])
  let composer = try composer(name, arguments["style"], configuration)
  let voice = composer.voice
  if let flaw = voice.licenceFlaw { throw Fault("cannot export the voice", flaw) }
  let quarters = Interval.quarter.timesOfDay
  let suffix = arguments.has("caf") ? "caf" : "wav"
  try makeFolder(folder) { folder throws(Fault) in
    for time in quarters {
      let score = try composer.score(of: time, .wordsAlone, rate: standardRate)
      let digits = time.dateTime.timeOfDay.prefix(5).filter { $0 != ":" }
      try score.write(to: "\(folder)/\(digits).\(suffix)")
    }
    // Anyone who passes the files on must pass these on, too.
    for name in names(inFolder: voice.path) where name == voice.licence || name == "NOTICE" {
      try writeBytes(
        try readRegularFile("\(voice.path)/\(name)"), to: "\(folder)/\(name)", isSynced: false)
    }
  }
  try say("made \(folder): \(quarters.count) files, 0000.\(suffix) to 2345.\(suffix)")
  return ExitStatus.done
}
