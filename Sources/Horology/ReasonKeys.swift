extension SkipReason {
  /// For programs: it does not change, whatever the words are.
  public var key: String {
    switch self {
    case .quietHours: "quiet_hours"
    case .nothingToSound: "nothing_to_sound"
    case .untrusted: "untrusted"
    case .muted: "switch_off"
    case .switchLost: "switch_lost"
    case .softwareMuted: "muted"
    case .tooLateForChime: "too_late_for_chime"
    case .late: "late"
    case .busy: "busy"
    case .occasionIsNear: "occasion_is_near"
    case .failed: "failed"
    case .stopped(let reason): "stopped_\(reason.key)"
    }
  }
}

extension StopReason {
  /// For programs: it does not change, whatever the words are.
  public var key: String {
    switch self {
    case .clockSet: "clock_set"
    case .rulesChanged: "rules_changed"
    case .muted: "switch_off"
    case .softwareMuted: "muted"
    case .byHand: "by_hand"
    case .serviceEnds: "service_ends"
    }
  }
}

extension Ringer {
  /// For programs: it does not change.
  public var key: String {
    switch self {
    case .absent: "absent"
    case .on: "on"
    case .off: "off"
    case .lost: "lost"
    }
  }
}

extension ClockState.Basis {
  /// For programs: it does not change.
  public var key: String {
    switch self {
    case .disciplined: "disciplined"
    case .synchronisedEarlier: "synchronised_earlier"
    case .setFromRTC: "set_from_rtc"
    case .agreesWithRTC: "agrees_with_rtc"
    case .nothing: "nothing"
    }
  }
}
