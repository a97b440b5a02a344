import Devices
import Horology
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
}
