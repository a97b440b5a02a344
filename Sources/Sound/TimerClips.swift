import Horology

extension VoicePack {
  /// Stub until the voices have the words.
  public func clips(of phrase: TimerPhrase) -> [Clip]? { nil }
}
