import Basics
import Daemon
import Devices
import Horology
import Sound

extension Report {
  /// - Parameter clock: how far it is trusted at the time of the report.
  func notice(_ composer: Composer, _ clock: ClockState) -> Notice {
    let trust = clock.trust.rawValue
    switch self {
    case .announced(let announcement, let timing):
      return announcement.notice(timing, composer, trust)
    case .cutOff(let announcement, let reason, let after):
      let what = announcement.inWords(composer, chimed: "the chime", said: "")
      return Notice(
        .cutOff, .info, "cut off \(what): \(reason); silent \(after.milliseconds) after that",
        announcement.fields(composer).merging(
          ["REASON": reason.key, "SILENT_AFTER_USEC": after.inMicroseconds, "TRUST": trust]
        ) { $1 })
    case .brokeOff(let announcement, let why):
      let what = announcement.inWords(composer, chimed: "the chime", said: "")
      return Notice(
        .cutOff, .warning, "cut off \(what) for \(announcement.time.dateTime.timeOfDay): \(why)",
        announcement.fields(composer).merging(
          ["REASON": "failed", "DETAIL": why, "TRUST": trust]
        ) { $1 })
    case .skipped(let first, let last, let reason):
      let range = first == last ? first.timeOfDay : "\(first.civil) to \(last.civil)"
      return Notice(
        .skipped, reason.priority, "skipped \(range): \(reason.words(clock))",
        first.fields.merging(["REASON": reason.key, "TRUST": trust]) { $1 })
    case .refused(let refusal): return refusal.notice(clock)
    case .trust(let trust):
      return Notice(
        .trust, trust == .untrusted ? .warning : .notice, "the clock is \(clock.words)",
        ["TRUST": trust.rawValue, "REASON": clock.basis.key])
    case .switched(let switchState): return switchState.notice
    case .mute(let mute, let end): return mute.notice(until: end)
    case .clockSet(let step):
      let direction = step < .zero ? "back" : "forward"
      let size = step.magnitude.milliseconds.drop { $0 == "+" }
      return Notice(
        .clockSet, .notice, "the clock went \(direction) by \(size)",
        ["STEP_USEC": step.inMicroseconds])
    case .slept(let span):
      return Notice(
        .slept, .notice, "the machine slept for \(span.roughly)",
        ["SLEPT_USEC": span.inMicroseconds])
    case .retrying(let occasion, let why):
      return Notice(
        .retrying, .warning, "\(occasion.timeOfDay) cannot sound yet, trying again: \(why)",
        occasion.fields.merging(["REASON": "failed", "DETAIL": why]) { $1 })
    case .reminder(let reminder, let event): return event.notice(of: reminder)
    case .interval(let interval, let event): return event.notice(of: interval)
    case .unsaid(let words, let reason):
      return Notice(
        .timerUnheard, .info,
        "did not say \(words.subject): \(reason.words(clock))",
        words.fields.merging(["REASON": reason.key]) { $1 })
    case .startUnheard(let reason):
      return Notice(
        .refused, reason.priority, "gave no signal at the start: \(reason.words(clock))",
        ["REASON": reason.key, "TRUST": trust, "CAUSE": "start"])
    }
  }
}

extension ALSASink.Substitute {
  /// As in `plughw:CARD=DAC,DEV=0 plays instead: speaker default: ...`.
  public var inWords: String { "\(device) plays instead of the default: \(why)" }

  var notice: Notice {
    Notice(
      .speakerSubstituted, .warning, inWords, ["DEVICE": device, "DETAIL": why])
  }

  static let noticeOfReturn = Notice(.speaker, .notice, "the default speaker is back")
}

extension SwitchState {
  fileprivate var notice: Notice {
    switch self {
    case .absent:
      Notice(.switch, .notice, "there is no switch any more", ["SWITCH": "absent"])
    case .on: Notice(.switch, .info, "the switch is on", ["SWITCH": "on"])
    case .off: Notice(.switch, .info, "the switch is off: silence", ["SWITCH": "off"])
    case .lost(let why):
      Notice(
        .switchLost, .warning, "the switch cannot be read: \(why)",
        ["SWITCH": "lost", "DETAIL": why])
    }
  }
}

extension SoftwareMute {
  /// - Parameter end: the local time at which it ends by itself.
  fileprivate func notice(until end: CivilTime?) -> Notice {
    let words =
      switch self {
      case .off: "not muted any more"
      case .until: "muted until \(end?.dateTime.description ?? "its end")"
      case .next: "muted for the next announcement"
      case .on: "muted until it is unmuted"
      }
    return Notice(.mute, .info, words, ["MUTE": key, "UNTIL": end?.description])
  }
}

extension Refusal {
  fileprivate func notice(_ clock: ClockState) -> Notice {
    let (cause, priority, words) =
      switch self {
      case .request(let reason):
        (
          "request", reason.priority,
          "did not say the time that was asked for: \(reason.words(clock))"
        )
      case .reminder(let why): (why.kind.rawValue, Priority.info, "refused a command: \(self)")
      case .interval: ("interval", Priority.info, "refused a command: \(self)")
      }
    return Notice(
      .refused, priority, words, ["REASON": key, "TRUST": clock.trust.rawValue, "CAUSE": cause])
  }
}

extension SkipReason {
  /// Silence that the owner asked for is information; a failure is a warning.
  var priority: Priority {
    switch self {
    case .quietHours, .nothingToSound, .switchOff, .muted, .occasionIsNear, .stopped: .info
    case .untrusted, .noZone, .switchLost, .tooLateForChime, .late, .busy, .tooNear, .failed:
      .warning
    }
  }

  /// The reason in words; for an untrusted clock, with what casts doubt on it.
  fileprivate func words(_ clock: ClockState) -> String {
    guard self == .untrusted, clock.trust == .untrusted else { return description }
    return "the clock is not trusted: \(clock.basis.words) (see 'untrusted' in the configuration)"
  }
}

extension Announcement {
  fileprivate func notice(_ timing: Timing, _ composer: Composer, _ trust: String) -> Notice {
    var words = inWords(composer, chimed: "chimed", said: "said")
    var fields = fields(composer).merging([
      "TRUST": trust,
      "ONSET_ERROR_USEC": timing.onsetError?.inMicroseconds,
      "WORST_ERROR_USEC": timing.worstError?.inMicroseconds,
      "UNDERRUNS": String(timing.underruns),
    ]) { $1 }
    switch cause {
    case .occasion(let occasion):
      let late = max(anchor - occasion.instant, .zero)
      fields["LATE_USEC"] = late.inMicroseconds
      words += " for \(occasion.timeOfDay)"
      if late > .zero { words += ", \(late.milliseconds) late" }
      if isShortened {
        words += ", too late for its chime"
        fields["REASON"] = SkipReason.tooLateForChime.key
      }
    case .request: words += " because it was asked for"
    case .timer(let timer): words += " for \(timer.title)"
    case .start: words = "gave the signal at the start"
    case .untrusted: words += " because the time was asked for and the clock is not trusted"
    }
    return Notice(.announced, .info, "\(words), \(timing.inWords)", fields)
  }

  fileprivate func fields(_ composer: Composer) -> [String: String?] {
    var fields: [String: String?] = [
      "CHIME": programme.blows.isEmpty ? "no" : "yes",
      "TEXT": programme.words == .none ? nil : try? composer.text(of: self),
    ]
    switch cause {
    case .occasion(let occasion):
      fields["CAUSE"] = "occasion"
      fields.merge(occasion.fields) { $1 }
    case .request:
      fields["CAUSE"] = "request"
    case .timer(let words): fields.merge(words.fields) { $1 }
    case .start: fields["CAUSE"] = "start"
    case .untrusted: fields["CAUSE"] = "untrusted"
    }
    return fields
  }

  /// Its chime and its words, as in `chimed and said "three o'clock"`.
  fileprivate func inWords(_ composer: Composer, chimed: String, said: String) -> String {
    let chime = programme.blows.isEmpty ? nil : chimed
    let text = programme.words == .none ? nil : try? composer.text(of: self)
    let words = text.map { text in
      let what = text.isEmpty ? "a signal" : "\"\(text)\""
      return said.isEmpty ? what : "\(text.isEmpty ? "gave" : said) \(what)"
    }
    return [chime, words].compactMap { $0 }.joined(separator: " and ")
  }
}

extension Timing {
  /// As in `onset +0.1 ms`, with the worst error and the underruns if there are any.
  var inWords: String {
    var words = "onset \(onsetError?.milliseconds ?? "not measured")"
    if let worstError, worstError != onsetError {
      words += ", at worst \(worstError.milliseconds)"
    }
    if underruns > 0 {
      words += ", the speaker ran dry \(underruns == 1 ? "once" : "\(underruns) times")"
    }
    return words
  }
}

extension Occasion {
  var timeOfDay: String { civil.dateTime.timeOfDay }

  fileprivate var fields: [String: String?] {
    ["OCCASION": instant.utcText(), "LOCAL": civil.description]
  }
}

extension Duration {
  /// In milliseconds with a sign and one decimal, as in `+0.1 ms`; from a minute on in words, with
  /// no sign but a minus.
  public var milliseconds: String {
    if magnitude >= .seconds(60) { return (self < .zero ? "-" : "") + magnitude.inWords }
    let tenths = (magnitude.nanoseconds + 50_000) / 100_000
    return "\(self < .zero && tenths > 0 ? "-" : "+")\(tenths / 10).\(tenths % 10) ms"
  }

  /// In whole microseconds, for the fields named `_USEC`.
  var inMicroseconds: String { String(nanoseconds / 1000) }
}

extension TimerWords {
  fileprivate var fields: [String: String?] {
    switch source {
    case .timer(let number): ["CAUSE": "timer", "TIMER": String(number)]
    case .interval: ["CAUSE": "interval"]
    case .alarm(let number): ["CAUSE": "alarm", "ALARM": String(number)]
    }
  }
}
