extension SkipReason {
  /// For programs, as in `quiet_hours`: it does not change. For `stopped`, the key of the stop
  /// reason.
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
    case .stopped(let reason): reason.key
    }
  }
}

extension StopReason {
  /// For programs, as in `clock_set`: it does not change.
  public var key: String {
    switch self {
    case .clockSet: "clock_set"
    case .slept: "slept"
    case .rulesChanged: "rules_changed"
    case .muted: "switch_off"
    case .switchLost: "switch_lost"
    case .softwareMuted: "muted"
    case .byHand: "by_hand"
    case .serviceEnds: "service_ends"
    }
  }
}

extension RTCFault {
  /// For programs: it does not change.
  public var key: String {
    switch self {
    case .dataInvalid: "data_invalid"
    case .notValid: "not_valid"
    case .unreadable: "unreadable"
    case .beforeRelease: "before_release"
    case .beyondRange: "beyond_range"
    case .stopped: "stopped"
    case .jumped: "jumped"
    }
  }
}

extension RTCWarning {
  /// For programs: it does not change.
  public var key: String {
    switch self {
    case .batteryLow: "battery_low"
    case .batteryEmpty: "battery_empty"
    case .accuracyLow: "accuracy_low"
    }
  }
}

extension ClockState.Doubt {
  /// For programs: it does not change.
  public var key: String {
    switch self {
    case .noRTC: "no_rtc"
    case .invalidRTC: "invalid_rtc"
    case .differs: "differs_from_rtc"
    case .wasSet: "was_set"
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
