import Horology

extension Configuration {
  /// The tunes that can never sound, and why: a sentence each.
  public var neverSounding: [String] {
    let minutes = Array(stride(from: 0, to: 60, by: announcer.interval.minutes))
    return [
      announcer.chime.flatMap { flaw("chime", $0, at: [0], "the hour") },
      announcer.chimeQuarters.flatMap {
        flaw("chime_quarters", $0, at: minutes.filter { $0 != 0 }, "the other quarters")
      },
    ].compactMap { $0 }
  }

  /// That the clock has no zone, and what to do; nil if it has one.
  public var flawOfZone: String? {
    announcer.hasZone
      ? nil
      : "the clock has no zone, so no time is said and no alarm rings; set it, as in "
        + "'clocksmith set clock.zone Europe/London'"
  }

  /// Why a tune never sounds; nil if it does.
  private func flaw(
    _ key: String, _ tune: Tune, at minutes: [Int], _ times: String
  ) -> String? {
    if minutes.contains(where: { $0 % 15 == 0 && tune.movements[$0 / 15] != nil }) { return nil }
    let why =
      minutes.contains { $0 % 15 == 0 }
      ? "the tune has nothing for \(times)"
      : "at interval = \(announcer.interval.minutes) no occasion is a quarter"
    return "\(key) = \(tune.name) never sounds: \(why); set it to none"
  }
}
