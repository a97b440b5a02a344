import Basics
import Horology

/// Everything that the Conductor acts on, in the service and in the simulation.
public protocol Instruments: AnyObject {
  var now: Now { get }

  func judgeClock() -> ClockTrust

  /// - Throws: `Fault` if it cannot be played; no `.ended` follows in that case.
  func play(_ sounding: Sounding) throws(Fault)

  /// Fades them out together; the end of each is reported later.
  func stop(_ soundings: [SoundingID], _ reason: StopReason)

  /// Arranges a `.woke` event at that instant.
  /// - Returns: false if the clock was set since the last wake-up was armed, and no `.woke` came.
  func wake(at instant: Instant) -> Bool

  func report(_ report: Report)

  func rest()
}

/// Passes events to the Announcer, one at a time, and carries out its effects.
public final class Conductor {
  public private(set) var announcer: Announcer
  public weak var instruments: (any Instruments)?
  private var queue: [Event] = []
  private var isHandling = false

  public init(_ announcer: Announcer) {
    self.announcer = announcer
  }

  /// Handles an event and carries out its effects. If it comes while another is handled, it waits.
  public func handle(_ event: Event) {
    if isHandling { queue.append(event) } else { _ = answer(to: event) }
  }

  public func answer(to event: Event) -> Answer {
    precondition(!isHandling, "an order cannot wait for another event: its answer is wanted now")
    precondition(queue.isEmpty, "what came while an event was handled was handled with it")
    guard let instruments else { return .done }
    isHandling = true
    defer { isHandling = false }
    var answer = Answer.done
    var isOrder = true
    if case .switched = event {
      // Silence first: the switch must not wait until the clock is judged. All else waits for that.
      carryOut(announcer.react(to: event, at: instruments.now).effects, instruments)
      queue.append(.woke)
    } else {
      queue.append(event)
    }
    while !queue.isEmpty {
      // Also after a change of trust: it may have opened the speaker, which may take seconds.
      let trust = instruments.judgeClock()
      let isJudged = trust == announcer.rules.trust
      let event = isJudged ? queue.removeFirst() : .trust(trust)
      let given = handle(event, instruments)
      if isJudged && isOrder {
        isOrder = false
        answer = given ?? answer
      } else if case .announcement(let promised) = answer, case .ended(promised.id, _) = event {
        // What is promised may still fail at once. Other ends are no answer to this order.
        answer = given ?? answer
      }
    }
    instruments.rest()
    return answer
  }

  private func handle(_ event: Event, _ instruments: any Instruments) -> Answer? {
    let now = instruments.now
    let response = announcer.react(to: event, at: now)
    carryOut(response.effects, instruments)
    carryOut(announcer.settle(at: now), instruments)
    return response.answer
  }

  private func carryOut(_ effects: [Effect], _ instruments: any Instruments) {
    var effects = effects[...]
    while let effect = effects.popFirst() {
      switch effect {
      case .wake(let instant):
        // A clock that was set while nobody watched it would otherwise go unnoticed.
        if !instruments.wake(at: instant) { queue.append(.woke) }
      case .play(let sounding):
        do throws(Fault) {
          try instruments.play(sounding)
          if case .announcement = sounding { rehearseSilence(at: instruments.now) }
        } catch {
          queue.append(.ended(sounding.id, .failed(error.description, heard: .nothing)))
        }
      case .stop(let first, let reason):
        // Consecutive stops with one reason fade together.
        var stopped = [first]
        while case .stop(let next, reason)? = effects.first {
          if !stopped.contains(next) { stopped.append(next) }
          effects.removeFirst()
        }
        instruments.stop(stopped, reason)
      case .report(let report): instruments.report(report)
      }
    }
  }

  /// Loads the code that decides a silence, so that it need not come from the disk when it is needed.
  private func rehearseSilence(at now: Now) {
    var rehearsal = announcer
    _ = rehearsal.react(to: .switched(.off, at: now.uptime), at: now)
  }
}
