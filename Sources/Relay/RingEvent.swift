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
    let line = JSONLine()
    line.set("event_type", event)
    line.set("number", (fields["TIMER"] ?? fields["ALARM"]).flatMap { Int($0) })
    line.set("name", fields["TIMER_NAME"] ?? fields["ALARM_NAME"] ?? "")
    line.set("text", words)
    payload = line.text
  }
}
