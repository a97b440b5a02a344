import Basics
import Devices
@preconcurrency import Glibc
import Horology
import Service
import Sound

/// `voice try`: says a time in a voice, through the configured speaker, without the service.
func tryVoice(_ name: String, _ time: String?, _ arguments: Arguments) throws -> Int32 {
  let given = try time.map { CivilTime(try timeOfDay($0)) }
  let defaults = Configuration()
  let configuration =
    try usableConfiguration(arguments, or: "so the speaker is '\(defaults.device)'") ?? defaults
  let composer = try composer(name, arguments["style"], configuration)
  let zone = try configuration.currentZone()
  let now = SystemClock.now.instant
  // Report a time that the voice cannot say before asking whether the speaker is free.
  let length = try composer.length(of: given ?? zone.civil(at: now), .wordsAlone)
  if !arguments.has("config"), let status = try reachableService()?.status(),
    let obstacle = status.obstacle(until: now + length + trialMargin, configuration)
  {
    throw Fault("cannot try the voice", obstacle)
  }
  try tellSaid(try speak(given, composer, configuration, zone))
  return ExitStatus.done
}

/// The composer for a voice in the requested style, or in the configured one as far as it can.
func composer(
  _ voice: String, _ style: String?, _ configuration: Configuration
) throws(Fault) -> Composer {
  let voice = try voicePack(named: voice)
  return Composer(
    voice: voice, wording: try wording(of: voice, style, configuration.wording),
    voiceVolume: configuration.voiceVolume)
}

/// The voice in this folder or, without one, the installed voice of this name.
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

private func wording(
  of voice: VoicePack, _ style: String?, _ configured: Wording
) throws(Fault) -> Wording {
  var wording = configured
  let wanted = style ?? configured.style
  let able = voice.wordings.filter { $0.style == wanted }.map(\.format)
  // A voice may have a style for the other clock only, or no words for this clock at all.
  if let format = able.first ?? voice.formats.first, !able.contains(wording.format),
    !able.isEmpty || !voice.formats.contains(wording.format)
  {
    let lack = voice.formats.contains(wording.format) ? "style '\(wanted.excerpt)'" : "words"
    complain(
      "note: it has no \(lack) for clock = \(wording.format.rawValue), which is configured; "
        + "this is clock = \(format.rawValue)")
    wording.format = format
  }
  if let style {
    wording.style = style
    if let flaw = voice.flaw(ofStyle: wording) { throw Fault("--style \(style.excerpt)", flaw) }
  } else if voice.flaw(ofStyle: wording) != nil {
    complain("note: it has no style '\(wording.style)', which is configured; this is digital")
    wording.style = Wording.digital
  }
  if wording.opens, !voice.hasOpening {
    complain("note: it has no words for 'say_it_is = yes', which is configured")
    wording.opens = false
  }
  try voice.refuseTimesAlike(wording)
  return wording
}

/// How long before the next sounding of the service the speaker must be free again.
private let trialMargin = Duration.seconds(5)

extension Status {
  /// Why the speaker is not free until then, with what to do; nil if it is free.
  func obstacle(until end: Instant, _ configuration: Configuration) -> String? {
    if isSilencedBySwitch { return "the switch silences the clock; switch it back on" }
    if !playing.isEmpty {
      return "the clock is saying '\(playing)'; wait until it is silent, or 'clocksmith stop' it"
    }
    if !intervals.isEmpty {
      return "an interval runs; wait for its end, or 'clocksmith interval stop' it"
    }
    if timers.contains(where: { ($0.due ?? end) < end }) {
      return "a timer rings, or will in a moment; try again when it is over"
    }
    // A silent one leaves the speaker free, and may be past with a clock that is not trusted.
    if alarms.contains(where: {
      $0.alarm.isRinging || ($0.next ?? end) < end && $0.reason == nil
    }) {
      return "an alarm rings, or will in a moment; try again when it is over"
    }
    if next.reasonKey == nil, next.instant - longestLead(configuration.announcer) < end {
      return "the clock will sound for \(next.local) in a moment; try again after it"
    }
    return nil
  }

  /// How long before its instant the next occasion may begin to sound.
  private func longestLead(_ settings: AnnouncerSettings) -> Duration {
    let quarters = (0..<4).compactMap { CivilTime(hour: 0, minute: $0 * 15) }
    return quarters.map { settings.programme(at: $0, trust: .synchronised).lead }.max() ?? .zero
  }
}
