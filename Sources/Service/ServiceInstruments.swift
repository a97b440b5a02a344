import Basics
import Daemon
import Devices
import Horology
import Playing
import Sound

/// The instruments of the service: the player, the timer, the clock and the reporter.
final class ServiceInstruments: Instruments {
  private let journal: Journal
  private let clockWatch: ClockWatch
  private let reporter: Reporter
  var player: Player?
  var timer: CalendarTimer?
  /// Composes what the player is given.
  var composer: Composer
  /// All effects of an event have been carried out.
  var rested: () -> Void = {}

  init(_ journal: Journal, _ clockWatch: ClockWatch, _ reporter: Reporter, _ composer: Composer) {
    self.journal = journal
    self.clockWatch = clockWatch
    self.reporter = reporter
    self.composer = composer
  }

  var now: Now { SystemClock.now }

  var isPlaying: Bool { player?.isPlaying ?? false }

  func isWaiting(_ sounding: SoundingID) -> Bool { player?.isWaiting(sounding) ?? false }

  func judgeClock() -> ClockTrust {
    for notice in clockWatch.look(mayReadRTC: !isPlaying) { journal.log(notice) }
    return clockWatch.state.trust
  }

  func play(_ sounding: Sounding) throws(Fault) {
    try player?.play(sounding) { [composer] rate throws(Fault) in
      try composer.score(of: sounding, rate: rate)
    }
  }

  func stop(_ soundings: [SoundingID], _ reason: StopReason) { player?.stop(soundings, reason) }

  func wake(at instant: Instant) -> Bool { timer?.arm(at: instant) ?? true }

  func tell(_ report: Report) { reporter.tell(report) }

  func rest() { rested() }
}

extension EventLoop: Ticker {}
