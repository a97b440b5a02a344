/// Which notices of the announcer are published, and in which words.
extension PushMessage {
  /// - Parameters:
  ///   - event: of the notice, as its journal names it.
  ///   - words: a sentence for a person.
  ///   - isReturn: true if it tells that what was in trouble is well again.
  ///   - clock: the name of this one.
  /// - Returns: nil for what nobody has to be told of.
  init?(
    notice event: String, _ words: String, _ fields: [String: String], isReturn: Bool = false,
    clock: String, at now: UTCTime
  ) {
    guard let kind = Kind(event, fields, isReturn) else { return nil }
    self.init(
      event: kind.event, kind: event, title: clock,
      body: kind.event == .hour ? fields["TEXT"] ?? Self.timeOfDay(fields) ?? words : words,
      fields: fields, collapse: "\(kind.collapse) \(clock)", created: now,
      expires: now + kind.life)
  }

  /// As in `15:00`, of an hour that is not said.
  private static func timeOfDay(_ fields: [String: String]) -> String? {
    fields["LOCAL"].map { String($0.dropFirst(11).prefix(5)) }
  }

  /// What a person publishes.
  static func words(_ words: String, title: String, at now: UTCTime) -> PushMessage {
    PushMessage(
      event: .message, kind: "message", title: title, body: words,
      collapse: "message \(now.microseconds)", created: now,
      expires: now + .seconds(86_400))
  }

  private struct Kind {
    let event: PushEvents
    let collapse: String
    /// How long it is worth being told.
    let life: Duration

    init?(_ event: String, _ fields: [String: String], _ isReturn: Bool) {
      switch event {
      case "timer_elapsed", "timer_missed":
        (self.event, collapse, life) = (
          .timer, "timer \(fields["TIMER"] ?? "")", .seconds(3600)
        )
      case "alarm_rings", "alarm_missed":
        (self.event, collapse, life) = (
          .alarm, "alarm \(fields["ALARM"] ?? "")", .seconds(3600)
        )
      case "trust": (self.event, collapse, life) = (.clock, event, .seconds(86_400))
      case "announced" where Self.isHour(fields):
        (self.event, collapse, life) = (.hour, "hour", .seconds(600))
      case _ where isReturn || Self.isTrouble(event, fields):
        (self.event, collapse, life) = (.trouble, event, .seconds(86_400))
      default: return nil
      }
    }

    /// As in `LOCAL=2026-11-22T15:00:00+00:00` of an occasion.
    private static func isHour(_ fields: [String: String]) -> Bool {
      fields["CAUSE"] == "occasion"
        && fields["LOCAL"].map { Array($0.utf8.dropFirst(14).prefix(2)) == Array("00".utf8) }
          == true
    }

    private static func isTrouble(_ event: String, _ fields: [String: String]) -> Bool {
      switch event {
      case "speaker_substituted", "speaker", "switch_lost", "button_lost", "lamp_lost",
        "rtc_invalid", "rtc_missing", "rtc_warning", "ailing", "well", "state_failed",
        "state_set_aside", "state", "lamp":
        true
      // Of these, what a device is to blame for.
      case "skipped", "cut_off": fields["REASON"] == "failed"
      case "timer_unheard": fields["DETAIL"] != nil
      default: false
      }
    }
  }
}
