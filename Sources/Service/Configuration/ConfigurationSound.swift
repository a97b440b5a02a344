import Basics
import Daemon
import Devices
import Horology
import Playing
import Sound

extension Configuration {
  public var speaker: ALSASink {
    ALSASink(
      name: device, isQuick: hasControls,
      volume: mixer.map { ($0, volume, Self.mixerFile) })
  }

  /// Keeps the level of the card's control while another one is set.
  private static var mixerFile: String? { runtimeFolder.map { "\($0)/mixer" } }

  /// Sets the card's control back to that level, if the service was killed before it did.
  public static func restoreMixer() {
    if let mixerFile { CardMixer.restore(from: mixerFile) }
  }

  public func gain(at time: CivilTime) -> Float {
    playerSettings.gain * Mixer.gain(decibels: announcer.quieter.decibels(at: time))
  }

  public var playerSettings: Player.Settings {
    var settings = Player.Settings()
    settings.latencyOffset = announcer.latencyOffset
    settings.gain = mixer == nil ? Mixer.gain(decibels: volume) : 1
    settings.keepOpen = keepOpen
    return settings
  }

  /// The configured voice, verified to have a phrase and clips for every occasion of the interval.
  public func verifiedVoice() throws(Fault) -> VoicePack {
    let voice = try wordedVoice()
    try voice.verify(every: announcer.interval, wording: wording)
    return voice
  }

  /// The configured voice, which has the configured wording.
  private func wordedVoice() throws(Fault) -> VoicePack {
    let voice = try voicePack()
    try checkWording(of: voice)
    return voice
  }

  /// For a program that says one time: its voice is not verified for others. It has no signals, and no
  /// bells but those of the tune.
  public func composerOfOneTime(with tune: Tune? = nil) throws(Fault) -> Composer {
    let voice = try wordedVoice()
    var bells = Sounds.bells()
    if let tune { try bells.add(tune) }
    return Composer(
      voice: voice, wording: wording, bells: bells, voiceVolume: voiceVolume,
      bellsVolume: bellsVolume)
  }

  /// - Throws: `Fault` with the line of the configuration that asks for something the voice lacks.
  private func checkWording(of voice: VoicePack) throws(Fault) {
    let (style, clock) = (wording.style, wording.format.rawValue)
    if let flaw = voice.flaw(ofStyle: wording) {
      guard style == Wording.digital else {
        throw Fault(place(of: "announce.style") ?? "", "style = \(style.excerpt): \(flaw)")
      }
      throw Fault(place(of: "announce.clock", "announce.voice") ?? "clock = \(clock)", flaw)
    }
    if wording.opens, let flaw = voice.flawOfOpening {
      throw Fault(place(of: "announce.say_it_is") ?? "", "say_it_is = yes: \(flaw)")
    }
  }

  public func composer() throws(Fault) -> Composer {
    let voice = try verifiedVoice()
    var bells = Sounds.bells()
    for tune in [announcer.chime, announcer.chimeQuarters] {
      if let tune { try bells.add(tune) }
    }
    // An alarm without its bells rings with the signal; the service logs that.
    for tune in announcer.alarms.compactMap(\.tune) { try? bells.add(tune) }
    return Composer(
      voice: voice, wording: wording, bells: bells, signals: Sounds.signals(),
      voiceVolume: voiceVolume, bellsVolume: bellsVolume)
  }

  func soundsLike(_ other: Configuration) -> Bool {
    (voice, wording, voiceVolume, bellsVolume)
      == (other.voice, other.wording, other.voiceVolume, other.bellsVolume)
      && (announcer.interval, announcer.chime, announcer.chimeQuarters)
        == (other.announcer.interval, other.announcer.chime, other.announcer.chimeQuarters)
      && announcer.alarms.map(\.tune) == other.announcer.alarms.map(\.tune)
  }
}

extension AnnouncerSettings {
  public mutating func setVoice(_ voice: VoicePack) {
    saysTimers = voice.hasTimers
    longestPhrase = max(voice.longestPhrase, voice.longestTimerPhrase)
  }
}
