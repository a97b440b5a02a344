import Basics
import Daemon
import Horology
import Vocabulary

extension RelayService {
  func startPush() {
    let push = configuration.push
    guard publisher != nil || !push.isEmpty else { return }
    if publisher == nil { publisher = Publisher(loop, journal, register) }
    let (providers, faults) = push.providers()
    for (section, fault) in faults.sorted(by: { $0.key < $1.key }) {
      journal.log(
        .providerLost, .error, "\(fault); nothing is published there until it is put right",
        ["LANE": section, "DETAIL": fault.description])
    }
    publisher?.use(providers)
    lookAhead()
  }

  func lookAhead() {
    guard publisher != nil else { return }
    ahead.awaitOccasion(
      isRunning ? announcer.state.nextOccasion : nil, isPlaying: announcer.state.isPlaying,
      lead: configuration.push.ahead)
  }

  /// - Parameter change: returns false if there is no such device.
  func changeDevices(
    _ order: Order, _ change: (Register) throws(Fault) -> Bool
  ) {
    guard configuration.push.apns != nil else {
      return refuse(order, Rejection(.refused, "no [apns] is configured for this clock"))
    }
    do throws(Fault) {
      guard try change(register.opened()) else {
        return refuse(order, Rejection(.unknown, "no device has this token"))
      }
      log(.command, "carried out \(order.title)", order)
      answer(order, .done(Record()))
    } catch {
      refuse(order, Rejection(.register, error.description))
    }
  }

  func noticed(_ notice: Record) {
    if configuration.http != nil {
      let json = notices.add(notice, at: .now)
      door?.streams.send(notice: json)
    }
    guard let (name, words, fields) = Notice.parts(of: notice), let event = JournalEvent(key: name)
    else { return }
    if [.started, .reloaded, .setting].contains(event) { door?.renderer.forget() }
    if Discovery.rings.contains(event) {
      // `event_type` is the key of Home Assistant.
      let ring = Record([
        "event_type": .text(event.key),
        "number": (fields["TIMER"] ?? fields["ALARM"]).flatMap { Int64($0) }.map { .integer($0) },
        "name": (fields["TIMER_NAME"] ?? fields["ALARM_NAME"]).map { .text($0) },
        "text": .text(words),
      ])
      broker?.publish(topics.event, ring.json, isRetained: false)
    }
    // The events `switch` and `rtc` are everyday ones, except the first after a loss.
    let isReturn = !lost.isDisjoint(with: event.ends)
    lost.subtract(event.ends)
    if [.switchLost, .rtcInvalid, .rtcMissing].contains(event) { lost.insert(event) }
    guard let publisher,
      let message = PushMessage(
        notice: event, words, fields, isReturn: isReturn, clock: topics.name, at: .now)
    else { return }
    publisher.publish(message)
  }
}
