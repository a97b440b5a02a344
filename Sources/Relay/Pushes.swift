import Basics
import Daemon
import Horology
import Vocabulary

/// What phones and programs are told of the clock, once the configuration names any.
final class Pushes {
  private unowned let service: RelayService
  private(set) var publisher: Publisher?
  private lazy var ahead = Ahead(service.loop) { [unowned self] in
    publisher?.publish($0.message(of: service.topics.name, at: .now))
  }
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

  func lookAhead() {
    guard publisher != nil else { return }
    let (clock, lead) = (service.announcer, service.configuration.push.ahead)
    ahead.awaitOccasion(
      clock.isRunning ? clock.state.nextOccasion : nil, isPlaying: clock.state.isPlaying,
      lead: lead)
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
