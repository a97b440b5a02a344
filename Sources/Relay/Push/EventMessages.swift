import Horology

/// Selects the announcer's notices that are published, and gives them words.
extension PushMessage {
  /// - Parameters:
  ///   - event: the notice's event, as in the journal.
  ///   - words: a sentence for a person.
  ///   - isReturn: true if the notice tells the end of a trouble.
  ///   - clock: the name of this clock.
  /// - Returns: nil for a notice that is not published.
  init?(
    notice event: String, _ words: String, _ fields: [String: String], isReturn: Bool = false,
    clock: String, at now: Instant
  ) {
    guard let kind = Self.kind(of: event, fields, isReturn) else { return nil }
    self.init(
      event: kind.event, kind: event, title: clock,
      body: kind.event == .hour ? fields["TEXT"] ?? Self.timeOfDay(fields) ?? words : words,
      fields: fields, collapse: "\(kind.collapse) \(clock)", created: now,
      expires: now + kind.life)
  }

  /// As in `15:00`, for an hour without words.
  private static func timeOfDay(_ fields: [String: String]) -> String? {
    fields["LOCAL"].map { String($0.dropFirst(11).prefix(5)) }
  }

  static func words(_ words: String, title: String, at now: Instant) -> PushMessage {
    PushMessage(
      event: .message, kind: "message", title: title, body: words,
      collapse: "message \(now.microseconds)", created: now,
      expires: now + .seconds(86_400))
  }

  /// How a notice is published: its event, what it replaces on a screen, and how long it is useful.
  private static func kind(
    of event: String, _ fields: [String: String], _ isReturn: Bool
  ) -> (event: PushEvents, collapse: String, life: Duration)? {
    switch event {
    case "timer_elapsed", "timer_missed":
      (.timer, own("timer", fields["TIMER"], fields), .seconds(3600))
    case "alarm_rings", "alarm_missed":
      (.alarm, own("alarm", fields["ALARM"], fields), .seconds(3600))
    case "trust": (.clock, event, .seconds(86_400))
    case "announced" where isHour(fields): (.hour, "hour", .seconds(600))
    case _ where isReturn || isTrouble(event, fields): (.trouble, event, .seconds(86_400))
    default: nil
    }
  }

  /// As in `timer 3 2026-11-22T15:00:00Z`. The next timer may have the same number.
  private static func own(
    _ what: String, _ number: String?, _ fields: [String: String]
  ) -> String {
    [what, number, fields["DUE"]].compactMap { $0 }.joined(separator: " ")
  }

  /// True for an occasion at a full hour, as in `LOCAL=2026-11-22T15:00:00+00:00`.
  private static func isHour(_ fields: [String: String]) -> Bool {
    fields["CAUSE"] == "occasion"
      && fields["LOCAL"].map { Array($0.utf8.dropFirst(14).prefix(2)) == Array("00".utf8) }
        == true
  }

  private static func isTrouble(_ event: String, _ fields: [String: String]) -> Bool {
    switch event {
    case "speaker_substituted", "speaker", "switch_lost", "button_lost", "lamp_lost",
      "rtc_invalid", "rtc_missing", "rtc_warning", "ailing", "well", "state_failed",
      "state_set_aside", "state", "lamp", "button":
      true
    // Of these, only those that a device has caused.
    case "skipped", "cut_off": fields["REASON"] == "failed"
    case "timer_unheard": fields["DETAIL"] != nil
    default: false
    }
  }
}
