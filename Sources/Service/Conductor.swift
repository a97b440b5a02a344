import Basics
import Horology

/// Everything that the Conductor acts on. The service and the simulation have instruments of their
/// own; the Conductor is the same in both.
public protocol Instruments: AnyObject {
  var now: Now { get }

  /// True while something sounds or is about to. Then nothing may delay its silence.
  var isPlaying: Bool { get }

  /// True while the player has this sounding but has queued nothing of it.
  func isWaiting(_ sounding: SoundingID) -> Bool

  /// Judges the clock as it is now.
  func judgeClock() -> ClockTrust

  /// - Throws: `Fault` if it cannot be played; no `.ended` follows in that case.
  func play(_ sounding: Sounding) throws(Fault)

  /// Fades them out together; the end of each is reported later.
  func stop(_ soundings: [SoundingID], _ reason: StopReason)

  /// Arranges a `.woke` event at that instant.
  /// - Returns: false if the clock was set since the last wake-up was armed and no `.clockSet`
  ///   came.
  func wake(at instant: Instant) -> Bool

  func tell(_ report: Report)

  /// Called after all effects of an event have been carried out.
  func rest()
}

/// Passes events to the Announcer, one at a time, and carries out its effects.
public final class Conductor {
  public private(set) var announcer: Announcer
  public weak var instruments: (any Instruments)?
  /// The sounding that has just opened the speaker, until the Announcer is told.
  private var opened: SoundingID?
  /// Events that came while another was being handled.
  private var queue: [Event] = []
  private var isHandling = false
  /// Why the request that is being handled is refused.
  private var refusal: SkipReason?
  private var order: TimerOrder?
  /// The outcome of the order that is being handled.
  private var answer: Result<TimerAnswer, TimerRefusal>?
  private var alarmOrder: AlarmOrder?
  private var alarms: Result<[Alarm], AlarmRefusal> = .success([])

  public init(_ announcer: Announcer) {
    self.announcer = announcer
  }

  /// Replaces the tunes of alarms by these of the same name.
  public func take(_ tunes: [Tune]) { announcer.take(tunes) }

  /// Takes the switch as it is at the start. The clock is not judged before that: a change of trust
  /// decides what sounds, and must find the switch known.
  public func start(with ringer: Ringer) {
    guard let instruments else { return }
    for effect in announcer.start(with: ringer) { carryOut(effect, instruments) }
  }

  /// Handles an event and carries out its effects.
  public func handle(_ event: Event) {
    queue.append(event)
    guard !isHandling, let instruments else { return }
    isHandling = true
    defer { isHandling = false }
    // If the loop was held up, the announcement may not have begun. By the clock alone it would
    // count as heard.
    if let playing = announcer.playing, instruments.isWaiting(playing.id) {
      take(.unheard(playing.id), instruments)
    }
    // Silence first: the switch must not wait until the clock is judged.
    if case .ringer = event, instruments.isPlaying { take(queue.removeFirst(), instruments) }
    while !queue.isEmpty {
      // Judge the clock before every decision. Judge again after a change of trust: it may have
      // opened the speaker, which may take seconds.
      let trust = instruments.judgeClock()
      take(trust == announcer.trust ? queue.removeFirst() : .trust(trust), instruments)
    }
    instruments.rest()
  }

  /// Asks for this time, or the time now if nil; at this instant, or at once if nil.
  /// - Returns: the announcement, or why there is none.
  public func ask(
    _ time: CivilTime? = nil, at instant: Instant? = nil, speakerIsAwake: Bool
  ) -> Result<Announcement, Refused> {
    refusal = nil
    handle(.asked(time, at: instant, speakerIsAwake: speakerIsAwake))
    if let refusal { return .failure(Refused(reason: refusal)) }
    guard let playing = announcer.playing else { return .failure(Refused(reason: .busy)) }
    return .success(playing)
  }

  /// Carries out a person's order for the timers.
  /// - Returns: the timer or interval concerned, or why the order is refused.
  public func order(_ order: TimerOrder) -> Result<TimerAnswer, TimerRefusal> {
    answer = nil
    self.order = order
    handle(.timer(order))
    self.order = nil
    return answer ?? .success(.done)
  }

  /// Carries out a person's order for the alarms.
  /// - Returns: the alarms concerned, or why the order is refused.
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
      // Consecutive stops with one reason fade together.
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
    // Opening the speaker takes seconds on some devices. Nothing was heard meanwhile.
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
        if alarmOrder?.isDone(by: event) == true { alarms = alarms.map { $0 + [alarm] } }
      case .alarmRefused(let reason): alarms = .failure(reason)
      case .timerRefused(let reason): answer = .failure(reason)
      case .unsaid(let words, let reason):
        // Only the words of this order: other words may be dropped at the same moment.
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
