import Devices

extension Configuration {
  /// The speaker that is set.
  public var speaker: ALSASink {
    ALSASink(
      name: device, isQuick: hasControls,
      volume: mixer.map { ALSASink.Volume(control: $0, decibels: volume) })
  }

  /// What of it the player needs.
  public var playerSettings: Player.Settings {
    var settings = Player.Settings()
    settings.latencyOffset = latencyOffset
    settings.gain = mixer == nil ? Player.gain(decibels: volume) : 1
    settings.keepOpen = keepOpen
    return settings
  }
}
