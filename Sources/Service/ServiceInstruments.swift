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
  /// Composes the scores for the player.
  var composer: Composer
  /// Called if the tune of a ring cannot be played, with the reason. The signal rings in its place.
  var lacksTune: (Cue, Fault) -> Void = { _, _ in }
  /// Called after all effects of an event have been carried out.
  var rested: () -> Void = {}

  init(_ journal: Journal, _ clockWatch: ClockWatch, _ reporter: Reporter, _ composer: Composer) {
    self.journal = journal
    self.clockWatch = clockWatch
    self.reporter = reporter
    self.composer = composer
  }

  var now: Now { SystemClock.now }

  var isPlaying: Bool { player?.isPlaying ?? false }

  func judgeClock() -> ClockTrust {
    for notice in clockWatch.judge(mayReadRTC: !isPlaying) { journal.log(notice) }
    return clockWatch.state.trust
  }

  func play(_ sounding: Sounding) throws(Fault) {
    do throws(Fault) {
      try player?.play(sounding) { [composer] rate throws(Fault) in
        try composer.score(of: sounding, rate: rate)
      }
    } catch {
      // Without a flaw in the tune, the speaker is to blame.
      guard case .cue(let cue) = sounding, let flaw = composer.flaw(ofTuneOf: cue) else {
        throw error
      }
      lacksTune(cue, flaw)
      try player?.play(sounding) { [composer] rate throws(Fault) in
        try composer.score(inSignalsOf: cue, rate: rate)
      }
    }
  }

  func stop(_ soundings: [SoundingID], _ reason: StopReason) { player?.stop(soundings, reason) }

  func wake(at instant: Instant) -> Bool { timer?.arm(at: instant) ?? true }

  func report(_ report: Report) { reporter.report(report) }

  func rest() { rested() }
}

extension EventLoop: Ticker {}
