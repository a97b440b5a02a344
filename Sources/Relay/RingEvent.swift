import Basics

/// An event of a timer or an alarm, as MQTT tells it.
struct RingEvent {
  /// As in the journal.
  static let types = ["timer_elapsed", "timer_missed", "alarm_rings", "alarm_missed"]

  /// One line of JSON. `event_type` is the key of Home Assistant.
  let payload: String

  /// - Parameters:
  ///   - event: the notice's event, as in the journal.
  ///   - words: a sentence for a person.
  /// - Returns: nil for another notice.
  init?(_ event: String, _ words: String, _ fields: [String: String]) {
    guard Self.types.contains(event) else { return nil }
    let record = Record([
      "event_type": .text(event),
      "number": (fields["TIMER"] ?? fields["ALARM"]).flatMap { Int64($0) }.map { .integer($0) },
      "name": (fields["TIMER_NAME"] ?? fields["ALARM_NAME"]).map { .text($0) },
      "text": .text(words),
    ])
    payload = record.json
  }
}
