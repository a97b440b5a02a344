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
  var time = given ?? zone.civil(at: SystemClock.now.instant)
  var outcome: Outcome?
  // How late the speaker was; known after the first try.
  var delay = Duration.zero
  for _ in 1...2 {
    let anchor = SystemClock.now.instant + Announcer.requestLead + delay
    let local = zone.civil(at: anchor)
    time = given ?? local
    outcome = try play(
      time, composer, configuration, anchoredAt: anchor,
      latest: given == nil ? anchor.endOfMinute(of: time) : nil,
      configuration.announcer.quieter.decibels(at: local))
    guard case .tooLate(let late) = outcome else { break }
    delay = late
  }
  switch outcome {
  case .failed(let why, _): throw Fault("cannot say the time", why)
  case .tooLate(let delay):
    throw Fault("cannot say the time", "the speaker was ready \(delay.roughly) too late for it")
  default: break
  }
  return try composer.text(of: time)
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

func tellSaid(_ words: String) throws(Fault) {
  try tellDone(words, "it was said all the same")
}
