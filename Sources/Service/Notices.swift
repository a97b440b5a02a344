import Basics
import Daemon
import Devices
import Horology
import Sound

extension Report {
  /// - Parameter neverHeard: why nothing of a ring was heard; nil if something was.
  func notice(
    _ composer: Composer, _ clock: ClockState,
    neverHeard: (Reminder) -> SkipReason? = { _ in nil }
  ) -> Notice {
    let trust = clock.trust.rawValue
    switch self {
    case .announced(let announcement, let timing):
      return announcement.notice(timing, composer, trust)
    case .cutOff(let announcement, let reason, let after):
      let what = announcement.inWords(composer, chimed: "the chime")
      return Notice(
        .cutOff, .info, "cut off \(what): \(reason); silent \(after.milliseconds) after that",
        announcement.fields(composer) + [
          "REASON": reason.key, "SILENT_AFTER_USEC": after.inMicroseconds, "TRUST": trust,
        ])
    case .brokeOff(let announcement, let why):
      let what = announcement.inWords(composer, chimed: "the chime")
      return Notice(
        .cutOff, .warning, "cut off \(what) for \(announcement.time.dateTime.timeOfDay): \(why)",
        announcement.fields(composer) + ["REASON": "failed", "DETAIL": why, "TRUST": trust])
    case .skipped(let first, let last, let reason):
      let range = first == last ? first.timeOfDay : "\(first.civil) to \(last.civil)"
      return Notice(
        .skipped, reason.priority, "skipped \(range): \(reason.words(clock))",
        first.fields + [
          "OCCASION_LAST": first == last ? nil : last.instant.utcText(),
          "REASON": reason.key, "TRUST": trust,
        ])
    case .refused(let refusal):
      let (cause, priority, words) =
        switch refusal {
        case .request(let why):
          ("request", why.priority, "did not say the time that was asked for: \(why.words(clock))")
        case .order(let why): (why.subject, .info, "refused a command: \(refusal)")
        }
      return Notice(
        .refused, priority, words, ["REASON": refusal.key, "TRUST": trust, "CAUSE": cause])
    case .trust(let trust):
      return Notice(
        .trust, trust == .untrusted ? .warning : .notice, "the clock is \(clock.words)",
        ["TRUST": trust.rawValue, "REASON": clock.basis.kind.rawValue])
    case .switched(.lost(let why)):
      return Notice(
        .switchLost, .warning, "the switch cannot be read: \(why)",
        ["SWITCH": "lost", "DETAIL": why])
    case .switched(let state):
      return Notice(.switch, .info, "the switch is \(state.key)", ["SWITCH": state.key])
    case .mute(let mute, let end):
      let words =
        switch mute {
        case .off: "not muted any more"
        case .until: "muted until \(end?.dateTime.description ?? "its end")"
        case .next: "muted for the next announcement"
        case .on: "muted until it is unmuted"
        }
      return Notice(.mute, .info, words, ["MUTE": mute.key, "UNTIL": end?.description])
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
        occasion.fields + ["REASON": "failed", "DETAIL": why])
    case .reminder(let reminder, let event):
      return event.notice(of: reminder, neverHeard: neverHeard(reminder))
    case .interval(let interval, let event): return event.notice(of: interval)
    case .unsaid(let words, let reason):
      return Notice(
        .timerUnheard, .info,
        "did not say \(words.subject): \(reason.words(clock))",
        words.fields + ["REASON": reason.key])
    case .startUnheard(let reason):
      return Notice(
        .refused, reason.priority, "gave no signal at the start: \(reason.words(clock))",
        ["REASON": reason.key, "TRUST": trust, "CAUSE": "start"])
    }
  }
}

extension [String: String?] {
  fileprivate static func + (fields: Self, others: Self) -> Self { fields.merging(others) { $1 } }
}

extension ALSASink.Substitute {
  public var inWords: String { "\(device) plays instead of the default: \(why)" }

  var notice: Notice {
    Notice(
      .speakerSubstituted, .warning, inWords, ["DEVICE": device, "DETAIL": why])
  }
}

extension SkipReason {
  /// Silence that the owner asked for is information; a failure is a warning.
  var priority: Priority {
    switch self {
    case .quietHours, .nothingToSound, .switchOff, .muted, .occasionIsNear, .stopped: .info
    default: .warning
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
    var words = inWords(composer, chimed: "chimed", said: "said ", gave: "gave ") + told.words
    var fields =
      fields(composer) + [
        "TRUST": trust,
        "ONSET_ERROR_USEC": timing.onsetError?.inMicroseconds,
        "WORST_ERROR_USEC": timing.worstError?.inMicroseconds,
        "UNDERRUNS": String(timing.underruns),
      ]
    if case .occasion(let occasion) = cause {
      let late = max(anchor - occasion.instant, .zero)
      fields["LATE_USEC"] = late.inMicroseconds
      if late > .zero { words += ", \(late.milliseconds) late" }
    }
    if isShortened {
      words += ", too late for its chime"
      fields["REASON"] = SkipReason.tooLateForChime.key
    }
    return Notice(.announced, .info, "\(words), \(timing.inWords)", fields)
  }

  /// Its cause as fields, and in words that follow those of what sounded.
  private var told: (fields: [String: String?], words: String) {
    switch cause {
    case .occasion(let occasion):
      (occasion.fields + ["CAUSE": "occasion"], " for \(occasion.timeOfDay)")
    case .request: (["CAUSE": "request"], " because it was asked for")
    case .timer(let timer): (timer.fields, " for \(timer.title)")
    case .start: (["CAUSE": "start"], " at the start")
    case .untrusted:
      (
        ["CAUSE": "untrusted"],
        " because the time was asked for and the clock is not trusted"
      )
    }
  }

  fileprivate func fields(_ composer: Composer) -> [String: String?] {
    told.fields + [
      "CHIME": programme.blows.isEmpty ? "no" : "yes",
      "TEXT": programme.words == .none ? nil : try? composer.text(of: self),
    ]
  }

  /// Its chime and its words, as in `chimed and said "three o'clock"`.
  fileprivate func inWords(
    _ composer: Composer, chimed: String, said: String = "", gave: String = ""
  ) -> String {
    let chime = programme.blows.isEmpty ? nil : chimed
    let text = programme.words == .none ? nil : try? composer.text(of: self)
    let words = text.map { $0.isEmpty ? "\(gave)the signal" : "\(said)\"\($0)\"" }
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
