import Basics
import Daemon
import Devices
import Horology
import Playing
import Service
import Sound

/// - Parameter given: the time; nil for the time now.
func speak(
  _ given: CivilTime?, _ composer: Composer, _ configuration: Configuration, into file: String?
) throws -> String {
  let zone = try configuration.currentZone()
  if let file {
    let time = given ?? zone.civil(at: SystemClock.now.instant)
    try composer.score(of: time, rate: standardRate).write(
      to: file, gain: configuration.playerSettings.gain)
    return try composer.text(of: time)
  }
  let anchor = SystemClock.now.instant + Announcer.requestLead
  let local = zone.civil(at: anchor)
  let time = given ?? local
  let loop = try EventLoop()
  var outcome: Outcome?
  let player = configuration.player(loop)
  player.ended = {
    outcome = $1
    loop.exit()
  }
  try player.play(
    SoundingID(1), anchoredAt: .utc(anchor),
    decibels: configuration.announcer.quieter.decibels(at: local),
    mayBeLateBy: given == nil ? anchor.endOfMinute(of: time) - anchor : nil
  ) { rate throws(Fault) in
    try composer.score(of: time, rate: rate)
  }
  try loop.run()
  switch outcome {
  case .failed(let why, _): throw Fault("cannot say the time", why)
  case .tooLate(let delay):
    throw Fault("cannot say the time", "the speaker was ready \(delay.roughly) too late for it")
  default: return try composer.text(of: time)
  }
}

extension Configuration {
  func player(_ loop: EventLoop) -> Player {
    let speaker = speaker
    speaker.opened = { if let substitute = $0 { complain("note: \(substitute.inWords)") } }
    let player = Player(loop: loop) { speaker }
    player.settings = playerSettings
    return player
  }
}
