import Basics
import Devices
import Horology
import Playing
import Sound

extension Configuration {
  /// The speaker that is set.
  public var speaker: ALSASink {
    ALSASink(
      name: device, isQuick: hasControls,
      volume: mixer.map { ALSASink.Volume(control: $0, decibels: volume) })
  }

  /// What the samples of an announcement that sounds at `time` are multiplied by.
  public func gain(at time: CivilTime) -> Float {
    playerSettings.gain * Mixer.gain(decibels: announcer.quieter.decibels(at: time))
  }

  /// What of it the player needs.
  public var playerSettings: Player.Settings {
    var settings = Player.Settings()
    settings.latencyOffset = latencyOffset
    settings.gain = mixer == nil ? Mixer.gain(decibels: volume) : 1
    settings.keepOpen = keepOpen
    return settings
  }

  /// The voice that is configured, with a phrase and clips for every occasion.
  public func verifiedVoice() throws(Fault) -> VoicePack {
    let voice = try voicePack()
    try checkWording(of: voice)
    try voice.verify(every: announcer.interval, wording: wording)
    return voice
  }

  /// - Throws: `Fault` with the line of the configuration that wants what the voice has not.
  private func checkWording(of voice: VoicePack) throws(Fault) {
    let (style, clock) = (wording.style, wording.format.rawValue)
    if let flaw = voice.flaw(ofStyle: wording) {
      guard style == Wording.digital else {
        throw Fault(place(of: "style") ?? "", "style = \(style.excerpt): \(flaw)")
      }
      throw Fault(place(of: "clock", "voice") ?? "clock = \(clock)", flaw)
    }
    if wording.opens, let flaw = voice.flawOfOpening {
      throw Fault(place(of: "say_it_is") ?? "", "say_it_is = yes: \(flaw)")
    }
  }

  /// The voice that is configured, in the wording that is configured, with a phrase and clips for
  /// every occasion of the interval that is configured.
  public func composer() throws(Fault) -> Composer {
    let voice = try verifiedVoice()
    var bells = Sounds.bells()
    for tune in [announcer.chime, announcer.chimeQuarters] {
      if let tune { try bells.add(tune) }
    }
    // Without its bells an alarm rings with the signal: `AlarmTunes` tells that.
    for tune in announcer.alarms.compactMap(\.tune) { try? bells.add(tune) }
    return Composer(
      voice: voice, wording: wording, bells: bells, signals: Sounds.signalsThatAreThere(),
      voiceVolume: voiceVolume, bellsVolume: bellsVolume)
  }
}
