import Horology

/// Turns what is to be announced into a score.
public struct Composer: Sendable {
  public let voice: VoicePack
  public let format: HourFormat

  public init(voice: VoicePack, format: HourFormat) {
    self.voice = voice
    self.format = format
  }

  /// The score of an announcement that speaks `time`, at `rate` frames per second.
  /// - Throws: `Fault` if a clip is missing or no sound.
  public func score(of time: CivilTime, rate: Int) throws(Fault) -> Score {
    try voice.score(hour: time.hour, minute: time.minute, format: format, rate: rate)
  }

  /// The words that are spoken, for a reader.
  public func text(of time: CivilTime) throws(Fault) -> String {
    try voice.text(hour: time.hour, minute: time.minute, format: format)
  }
}
