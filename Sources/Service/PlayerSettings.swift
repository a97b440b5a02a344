@preconcurrency import Glibc

extension Configuration {
  /// What of it the player needs.
  public var playerSettings: Player.Settings {
    var settings = Player.Settings()
    settings.latencyOffset = latencyOffset
    settings.gain = Float(pow(10, volume / 20))
    settings.keepOpen = keepOpen
    return settings
  }
}
