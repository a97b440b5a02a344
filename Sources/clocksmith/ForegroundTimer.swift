import Basics
import Daemon
import Devices
@preconcurrency import Glibc
import Horology
import Playing
import Service
import Sound

/// `timer` and `interval` without a service: the same Announcer and Conductor, in this terminal. No
/// occasion sounds.
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
  /// True once a person was told that a signal could not be heard.
  private var hasToldOfSignal = false
  /// True once a line could not be printed. It is told once.
  private var hasUnprinted = false
  /// The message about a timer or an interval that was given up, to be printed below the bar.
  private var givenUp: String?

  /// - Throws: `Fault` if the configuration, the voice or the zone cannot be used.
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

  /// Sounds until Ctrl-C, or until it is over.
  /// - Returns: the exit status; failed if it, or a signal of the interval, could not be heard, if
  ///   it was given up before its end, or if a line could not be printed.
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
    // Look each second: nothing else tells this program that the clock was set or the machine
    // slept.
    sources.append(
      try loop.every(.seconds(1)) { [unowned self] in conductor.handle(.woke) })
    rest()
    try loop.run()
    bar.end()
    let hasFailed = hasUnprinted || hasToldOfSignal
    guard let givenUp else { return hasFailed ? ExitStatus.failed : status }
    complain(givenUp)
    return ExitStatus.failed
  }

  /// Stops a ring; gives up a timer that counts, and rounds that are not over.
  private func end() {
    if let interval = conductor.announcer.interval, interval.plan.length != nil {
      givenUp = "\(interval.title) was given up before its end"
    }
    for timer in conductor.announcer.reminders.timers where !timer.isRinging {
      let left = timer.left(at: now.instant).left(of: timer.length ?? .zero)
      givenUp = "\(timer.title) was given up: \(left)"
      conductor.handle(.reminder(.cancel(.timer, "\(timer.number)")))
    }
    conductor.handle(.stop(.byHand))
  }

  // MARK: Instruments

  var now: Now { SystemClock.now }

  var isPlaying: Bool { player.isPlaying }

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
    case .interval(_, .unheard(let why)):
      hasToldOfSignal = true
      complain("the interval cannot be heard: \(why)")
    case .interval(_, .over(let late?)):
      complain("the interval was over \(late.roughly) ago, while the machine slept")
    case .reminder(_, .expired(let late)):
      complain("the timer was at zero \(late.roughly) ago, while the machine slept")
    case .reminder(_, .missed(let why?)): complain("the timer was never heard: \(why)")
    case .reminder(_, .missed(nil)) where status == ExitStatus.done:
      complain("note: it rang, and nobody stopped it")
    case .unsaid(let words, let reason) where words.source == .interval:
      complain("note: did not say \(words.subject): \(reason)")
    case .reminder(let timer, .set):
      printInPlaceOfBar("\(timer.title): \((timer.length ?? .zero).inFull)")
    case .reminder(let timer, .rings(.due, _)): printInPlaceOfBar("\(timer.title) is at zero")
    case .interval(let interval, .started): printInPlaceOfBar(interval.title)
    case .interval(let interval, .over(nil)): printInPlaceOfBar("\(interval.title) is over")
    default: break
    }
  }

  /// Prints a line in place of the bar if that is not shown.
  private func printInPlaceOfBar(_ words: String) {
    guard !bar.isShown, !hasUnprinted else { return }
    do throws(Fault) {
      try tellDone(words, "it goes on all the same")
    } catch {
      hasUnprinted = true
      complain("\(error)")
    }
  }

  func rest() {
    let announcer = conductor.announcer
    if let timer = announcer.reminders.timers.first {
      let title = timer.name ?? "timer"
      if timer.isRinging {
        bar.showZero(title, "Ctrl-C")
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
