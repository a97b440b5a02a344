import Basics
import Daemon
import Devices
import Horology
import Playing
import Service
import Sound

/// Says the time through the configured speaker, without the service.
/// - Parameter given: the time; nil for the time now.
func speak(
  _ given: CivilTime?, _ composer: Composer, _ configuration: Configuration, _ zone: SystemZone
) throws -> String {
  let anchor = SystemClock.now.instant + Announcer.requestLead
  let local = zone.civil(at: anchor)
  let time = given ?? local
  let outcome = try play(
    time, composer, configuration, anchoredAt: anchor,
    latest: given == nil ? anchor.endOfMinute(of: time) : nil,
    configuration.announcer.quieter.decibels(at: local))
  switch outcome {
  case .failed(let why, _): throw Fault("cannot say the time", why)
  case .tooLate(let delay):
    throw Fault("cannot say the time", "the speaker was ready \(delay.roughly) too late for it")
  default: return try composer.text(of: time)
  }
}

private func play(
  _ time: CivilTime, _ composer: Composer, _ configuration: Configuration,
  anchoredAt anchor: Instant, latest: Instant?, _ decibels: Double
) throws -> Outcome? {
  let loop = try EventLoop()
  var outcome: Outcome?
  let player = configuration.player(loop)
  player.ended = {
    outcome = $1
    loop.exit()
  }
  try player.play(
    SoundingID(1), anchoredAt: .utc(anchor), decibels: decibels,
    mayBeLateBy: latest.map { $0 - anchor }
  ) { rate throws(Fault) in
    try composer.score(of: time, rate: rate)
  }
  try loop.run()
  return outcome
}

extension Configuration {
  /// A player on the configured speaker. A note says if another one takes its place.
  func player(_ loop: EventLoop) -> Player {
    let speaker = speaker
    speaker.opened = { if let substitute = $0 { complain("note: \(substitute.inWords)") } }
    let player = Player(loop: loop) { speaker }
    player.settings = playerSettings
    return player
  }
}
