import Basics
import Daemon
import Horology
import Vocabulary

/// What phones and programs are told of the clock, once the configuration names any.
final class Pushes {
  private unowned let service: RelayService
  private(set) var publisher: Publisher?
  /// The occasion that is told ahead, also once that is done.
  private var awaited: (occasion: NextOccasion, lead: Duration, timer: EventSource)?
  /// What is lost: the event that ends it is told, though it is an everyday one.
  private var lost: Set<JournalEvent> = []

  init(_ service: RelayService) { self.service = service }

  /// Uses the current configuration and its files.
  func start() {
    let push = service.configuration.push
    guard publisher != nil || !push.isEmpty else { return }
    if publisher == nil {
      publisher = Publisher(service.loop, service.journal, service.register)
    }
    let (providers, faults) = push.providers()
    for (section, fault) in faults.sorted(by: { $0.key < $1.key }) {
      service.journal.log(
        .providerLost, .error, "\(fault); nothing is published there until it is put right",
        ["LANE": section, "DETAIL": fault.description])
    }
    publisher?.use(providers)
    lookAhead()
  }

  /// Waits until the next occasion is near, to publish it, and no longer for the one before, except
  /// while something sounds: a melody leads to its occasion, but from its first note on, the bus names
  /// the occasion after that.
  func lookAhead() {
    guard publisher != nil else { return }
    let state = service.announcer.state
    let next = service.announcer.isRunning ? state.nextOccasion : nil
    let lead = service.configuration.push.ahead
    if let awaited, awaited.lead == lead {
      if awaited.occasion == next { return }
      if state.isPlaying, let next, next.instant > awaited.occasion.instant { return }
    }
    awaited = nil
    guard let next, let lead else { return }
    let due = next.instant + (.zero - lead)
    // Without a timer there is no push. The next change of the announcer tries again.
    let timer = try? service.loop.atUTC(microseconds: due.microseconds) { [unowned self] in
      // A phone that gets it later cannot get ready.
      guard next.instant - .now >= .seconds(2) else { return }
      publisher?.publish(next.message(of: service.topics.name, at: .now))
    }
    if let timer { awaited = (next, lead, timer) }
  }

  /// Publishes a notice of the clock.
  func publish(_ event: JournalEvent, _ words: String, _ fields: [String: String]) {
    // The events `switch` and `rtc` are everyday ones, except the first after a loss.
    let isReturn = !lost.isDisjoint(with: event.ends)
    lost.subtract(event.ends)
    if [.switchLost, .rtcInvalid, .rtcMissing].contains(event) { lost.insert(event) }
    guard let publisher,
      let message = PushMessage(
        notice: event, words, fields, isReturn: isReturn, clock: service.topics.name, at: .now)
    else { return }
    publisher.publish(message)
  }
}
