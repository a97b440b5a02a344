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

  /// All that decides where and how loud an announcement is played.
  struct SpeakerSettings: Equatable {
    let device: String
    let isQuick: Bool
    let mixer: String?
    let volume: Double
    let latencyOffset: Duration
  }

  var speakerSettings: SpeakerSettings {
    SpeakerSettings(
      device: device, isQuick: hasControls, mixer: mixer, volume: volume,
      latencyOffset: latencyOffset)
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
