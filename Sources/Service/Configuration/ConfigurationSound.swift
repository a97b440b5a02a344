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
    try voice.verify(every: announcer.interval, format: hourFormat)
    return voice
  }

  /// The voice that is configured, in the format that is configured, with a phrase and clips for
  /// every occasion of the interval that is configured.
  public func composer() throws(Fault) -> Composer {
    let voice = try verifiedVoice()
    var bells = Sounds.bells()
    for tune in [announcer.chime, announcer.chimeQuarters] + announcer.alarms.map(\.tune) {
      if let tune { try bells.add(tune) }
    }
    return Composer(
      voice: voice, format: hourFormat, bells: bells, signals: Sounds.signalsThatAreThere(),
      voiceVolume: voiceVolume, bellsVolume: bellsVolume)
  }
}
