import Basics
import Daemon
import Devices
@preconcurrency import Glibc
import Horology
import Playing
import Service
import Sound

/// `timer` and `interval` without a service: the same Announcer and Conductor, but no occasion.
final class ForegroundTimer: Instruments {
  private let order: Event
  /// False if a person wants another configuration than the service's.
  private let wantsService: Bool
  private let composer: Composer
  private let loop: EventLoop
  private let player: Player
  private let conductor: Conductor
  private let bar = TimerBar()
  private var sources: [EventSource] = []
  private var wakeUp: EventSource?
  /// `done` once a sounding was heard.
  private var status = ExitStatus.failed

  init(_ order: Event, configurationPath: String?) throws(Fault) {
    self.order = order
    wantsService = configurationPath == nil
    let configuration = try Configuration.load(path: configurationPath)
    composer = try configuration.composer()
    var settings = configuration.announcer
    settings.interval = Interval(minutes: 60)!
    settings.chime = nil
    settings.voiceAtHour = .none
    settings.alarms = []
    settings.setVoice(composer.voice)
    loop = try EventLoop()
    conductor = Conductor(
      Announcer(
        settings: settings, zone: try configuration.currentZone(), trust: .synchronised,
        at: SystemClock.now))
    player = configuration.player(loop)
    conductor.instruments = self
    player.heard = { [unowned self] in conductor.handle(.heard($0, $1)) }
    player.ended = { [unowned self] sounding, outcome in
      switch outcome {
      case .finished, .stopped(_, silentAt: .some): status = ExitStatus.done
      case .tooLate, .failed, .stopped: break
      }
      conductor.handle(.ended(sounding, outcome))
    }
  }

  /// - Returns: the exit status; failed if nothing was heard.
  func run() throws(Fault) -> Int32 {
    sources += try loop.whenAskedToEnd { [unowned self] in end() }
    // Before the order, which draws the bar.
    if wantsService {
      complain("note: no service was found; it runs in this command, and ends with it")
    }
    if case .refused(let refusal) = conductor.answer(to: order) {
      let what = if case .interval = order { "interval" } else { "timer" }
      throw Fault(what, refusal.description)
    }
    // Nothing else tells this program that the clock was set or the machine slept.
    sources.append(
      try loop.every(.seconds(1)) { [unowned self] in conductor.handle(.woke) })
    rest()
    try loop.run()
    bar.end()
    return status
  }

  /// Stops a ring, and cancels a timer that counts.
  private func end() {
    for timer in conductor.announcer.reminders.timers where !timer.isRinging {
      conductor.handle(.reminder(.cancel(.timer, "\(timer.number)")))
    }
    conductor.handle(.stop(.byHand))
  }

  var now: Now { SystemClock.now }

  /// A timer needs no trusted clock.
  func judgeClock() -> ClockTrust { .synchronised }

  func play(_ sounding: Sounding) throws(Fault) {
    try player.play(sounding) { rate throws(Fault) in
      try composer.score(of: sounding, rate: rate)
    }
  }

  func stop(_ soundings: [SoundingID], _ reason: StopReason) { player.stop(soundings, reason) }

  func wake(at instant: Instant) -> Bool {
    wakeUp = try? loop.after(
      max(instant - SystemClock.now.instant, .zero), accuracy: .milliseconds(1)
    ) { [unowned self] in conductor.handle(.woke) }
    return true
  }

  func report(_ report: Report) {
    switch report {
    case .reminder(_, .unheard(let why)): complain("the timer cannot be heard: \(why)")
    case .interval(_, .unheard(let why)): complain("the interval cannot be heard: \(why)")
    case .reminder(_, .expired(let late)):
      complain("the timer was at zero \(late.roughly) ago, while the machine slept")
    case .reminder(let timer, .set):
      printInPlaceOfBar("\(timer.title): \((timer.length ?? .zero).inFull)")
    case .reminder(let timer, .rings(.due, _)): printInPlaceOfBar("\(timer.title) is at zero")
    case .interval(let interval, .started): printInPlaceOfBar(interval.title)
    case .interval(let interval, .over): printInPlaceOfBar("\(interval.title) is over")
    default: break
    }
  }

  private func printInPlaceOfBar(_ words: String) {
    guard !bar.isShown else { return }
    do throws(Fault) {
      try say(words)
      try flushOutput()
    } catch {
      complain("\(error)")
    }
  }

  func rest() {
    let announcer = conductor.announcer
    if let timer = announcer.reminders.timers.first {
      let title = timer.name ?? "timer"
      if timer.isRinging {
        bar.show("\(title): at zero; Ctrl-C stops it")
      } else {
        bar.show(title, left: timer.left(at: now.instant), of: timer.length ?? .zero)
      }
    } else if let interval = announcer.interval {
      if let (title, left, length) = interval.plan.moment(at: interval.passed(at: now)) {
        bar.show(title, left: left, of: length)
      }
    } else if !player.isPlaying && !announcer.hasWords {
      loop.exit()
    }
  }
}
