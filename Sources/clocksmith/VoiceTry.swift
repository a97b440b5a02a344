import Basics
@preconcurrency import Glibc
import Horology
import Service
import Sound

func tryVoice(_ name: String, _ time: String?, _ arguments: Arguments) throws -> Int32 {
  let given = try time.map { CivilTime(try timeOfDay($0)) }
  let output = try arguments.soundFile()
  let defaults = Configuration()
  let configuration =
    try usableConfiguration(arguments, or: "so the speaker is '\(defaults.device)'") ?? defaults
  let composer = try composer(name, arguments["style"], configuration)
  if output == nil, !arguments.has("config"),
    let obstacle = try reachableService()?.status().obstacle
  {
    throw Fault("cannot try the voice", obstacle)
  }
  try tellDone(try speak(given, composer, configuration, into: output))
  return ExitStatus.done
}

func composer(
  _ voice: String, _ style: String?, _ configuration: Configuration
) throws(Fault) -> Composer {
  let voice = try voicePack(named: voice)
  return Composer(
    voice: voice, wording: try wording(of: voice, style, configuration.wording),
    voiceVolume: configuration.voiceVolume)
}

func voicePack(named name: String) throws(Fault) -> VoicePack {
  if access("\(name)/voice.conf", F_OK) == 0 { return try VoicePack(path: name) }
  if !name.isEmpty, access("\(name)/.", F_OK) == 0, !Sounds.voiceNames().contains(name) {
    throw Fault(
      name.excerpt,
      "this folder is no voice: it has no voice.conf; 'clocksmith voice import' makes a voice from a "
        + "folder of recorded words")
  }
  return try Sounds.voice(name)
}

/// The requested style, or the configured one; on the other clock, or digital, if the voice lacks it.
private func wording(
  of voice: VoicePack, _ style: String?, _ configured: Wording
) throws(Fault) -> Wording {
  var wording = configured
  wording.style = style ?? configured.style
  if let flaw = voice.flaw(ofStyle: wording) {
    let digital = voice.wordings.filter { $0.style == Wording.digital }
    let others =
      voice.wordings.filter { $0.style == wording.style }
      + (style == nil ? digital.filter { $0.format == wording.format } + digital : [])
    guard let found = others.first else {
      throw Fault(style.map { "--style \($0.excerpt)" } ?? voice.path, flaw)
    }
    (wording.style, wording.format) = (found.style, found.format)
    complain(
      "note: it does not say times as configured; this is style = \(found.style), "
        + "clock = \(found.format.rawValue)")
  }
  wording.opens = wording.opens && voice.hasOpening
  try voice.refuseTimesAlike(wording)
  return wording
}

extension Status {
  /// Why the speaker is not free now, with what to do; nil if it is free.
  var obstacle: String? {
    if isSilencedBySwitch { return "the switch silences the clock; switch it back on" }
    if !playing.isEmpty {
      return "the clock is saying '\(playing)'; wait until it is silent, or 'clocksmith stop' it"
    }
    if timers.contains(where: \.isRinging) || alarms.contains(where: \.alarm.isRinging) {
      return "a timer or an alarm rings; 'clocksmith stop' it"
    }
    return nil
  }
}
