import Basics
import Horology

/// Everything that the Conductor acts on. The service and the simulation have instruments of their
/// own; the Conductor is the same in both.
public protocol Instruments: AnyObject {
  var now: Now { get }

  /// True while something sounds, or is about to: then nothing may hold up its silence.
  var isPlaying: Bool { get }

  /// True while the player has this and has not begun it: nothing of it is queued.
  func isWaiting(_ sounding: SoundingID) -> Bool

  /// Judges the clock as it is now.
  func judgeClock() -> ClockTrust

  /// - Throws: `Fault` if it cannot be played; then its end is not told in any other way.
  func play(_ sounding: Sounding) throws(Fault)

  /// Fades them out together; the end of each is told later.
  func stop(_ soundings: [SoundingID], _ reason: StopReason)

  /// Arranges that the Conductor is told `.woke` at that instant.
  /// - Returns: false if the clock was set since the last wake-up was armed, and that was not told.
  func wake(at instant: Instant) -> Bool

  func tell(_ report: Report)

  /// All effects of an event have been carried out.
  func rest()
}

/// Takes events to the Announcer, one at a time, and carries its effects out.
public final class Conductor {
  public private(set) var announcer: Announcer
  public weak var instruments: (any Instruments)?
  /// What the player has just opened the speaker for, until the Announcer is told.
  private var opened: SoundingID?
  /// Events that have come while another is being handled.
  private var queue: [Event] = []
  private var isHandling = false
  /// Why the request that is being handled is refused.
  private var refusal: SkipReason?
  private var order: TimerOrder?
  /// What has become of the order that is being handled.
  private var answer: Result<TimerAnswer, TimerRefusal>?
  private var alarmOrder: AlarmOrder?
  private var alarms: Result<[Alarm], AlarmRefusal> = .success([])

  public init(_ announcer: Announcer) {
    self.announcer = announcer
  }

  /// Gives alarms these in place of their tunes of the same name.
  public func take(_ tunes: [Tune]) { announcer.take(tunes) }

  /// Takes an event in, and carries out its effects.
  public func handle(_ event: Event) {
    queue.append(event)
    guard !isHandling, let instruments else { return }
    isHandling = true
    defer { isHandling = false }
    // By the clock alone, what a held loop has not begun would be taken for heard.
    if let playing = announcer.playing, instruments.isWaiting(playing.id) {
      take(.unheard(playing.id), instruments)
    }
    // What sounds is silenced before anything else: the switch waits for no judging of the clock.
    if case .ringer = event, instruments.isPlaying { take(queue.removeFirst(), instruments) }
    while !queue.isEmpty {
      // The clock is judged before every decision, and once more where another trust in it has had the
      // speaker opened, which may take seconds.
      let trust = instruments.judgeClock()
      take(trust == announcer.trust ? queue.removeFirst() : .trust(trust), instruments)
    }
    instruments.rest()
  }

  /// A person asks for this time, or for the time now; from that instant on, or at once.
  /// - Returns: what is said, or why nothing is.
  public func ask(
    _ time: CivilTime? = nil, at instant: Instant? = nil, speakerIsAwake: Bool
  ) -> Result<Announcement, Refused> {
    refusal = nil
    handle(.asked(time, at: instant, speakerIsAwake: speakerIsAwake))
    if let refusal { return .failure(Refused(reason: refusal)) }
    guard let playing = announcer.playing else { return .failure(Refused(reason: .busy)) }
    return .success(playing)
  }

  /// A person wants something of the timers.
  /// - Returns: what it is about.
  public func order(_ order: TimerOrder) -> Result<TimerAnswer, TimerRefusal> {
    answer = nil
    self.order = order
    handle(.timer(order))
    self.order = nil
    return answer ?? .success(.done)
  }

  /// A person wants something of the alarms.
  /// - Returns: those that it is about.
  public func order(_ order: AlarmOrder) -> Result<[Alarm], AlarmRefusal> {
    alarms = .success([])
    alarmOrder = order
    handle(.alarm(order))
    alarmOrder = nil
    return alarms
  }

  /// Why a request is refused.
  public struct Refused: Error, Hashable {
    public let reason: SkipReason

    public init(reason: SkipReason) {
      self.reason = reason
    }
  }

  private func take(_ event: Event, _ instruments: any Instruments) {
    var effects = announcer.handle(event, at: instruments.now)[...]
    while let effect = effects.first {
      // What is stopped together fades together.
      guard case .stop(_, let reason) = effect else {
        carryOut(effects.removeFirst(), instruments)
        continue
      }
      var stopped: [SoundingID] = []
      while case .stop(let sounding, reason)? = effects.first {
        if !stopped.contains(sounding) { stopped.append(sounding) }
        effects.removeFirst()
      }
      instruments.stop(stopped, reason)
    }
    // Opening the speaker takes seconds on some devices.
    if let sounding = opened {
      opened = nil
      take(.unheard(sounding), instruments)
    }
  }

  private func carryOut(_ effect: Effect, _ instruments: any Instruments) {
    switch effect {
    case .wake(let instant):
      // A clock that was set while nobody watched it would otherwise go unnoticed.
      if !instruments.wake(at: instant) { queue.append(.clockSet) }
    case .play(let sounding):
      do throws(Fault) {
        try instruments.play(sounding)
        if case .announcement = sounding { opened = sounding.id }
      } catch {
        queue.append(.ended(sounding.id, .failed(error.description, heard: .nothing)))
      }
    case .stop(let sounding, let reason): instruments.stop([sounding], reason)
    case .report(let report):
      switch report {
      case .refused(let reason): refusal = reason
      case .alarm(let alarm, let event):
        if alarmOrder?.does(event) == true { alarms = alarms.map { $0 + [alarm] } }
      case .alarmRefused(let reason): alarms = .failure(reason)
      case .timerRefused(let reason): answer = .failure(reason)
      case .unsaid(let words, let reason):
        // What was asked for, not what is dropped in the same moment.
        if case .tell = order, case .success(.countdown(let told))? = answer,
          words.source == .timer(told.number)
        {
          answer = .failure(.speech(reason))
        }
      default: if let found = order?.answer(in: report) { answer = answer ?? .success(found) }
      }
      instruments.tell(report)
    }
  }
}
