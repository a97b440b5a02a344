public enum Event {
  /// The wake-up has come, the clock was set, the machine has slept, or the service has started.
  case woke
  /// The service has started for the first time since the machine did.
  case machineStarted
  case zoneChanged(any Zone)
  case reloaded(AnnouncerSettings)
  /// The file of a tune that was missing is there.
  case tuneFound(Tune)
  case trust(ClockTrust)
  /// The switch was moved, lost or found again, at this moment.
  case switched(SwitchState, at: Uptime)
  case mute(SoftwareMute)
  /// A person asks for this time, or for the current time, from that instant on, or at once. The
  /// instant is at most `Rules.preparation` ahead. An awake speaker needs no lead-in.
  case asked(CivilTime? = nil, at: Instant? = nil, speakerIsAwake: Bool)
  /// The button: ringing alarms snooze and ringing timers stop. If nothing rings, the interval
  /// ends. If none runs, it asks for the time, and a clock that is not trusted says so.
  case pressed(speakerIsAwake: Bool)
  /// The button was held: rings and the announcement that is heard stop, and alarms are over for
  /// the day.
  case held
  case reminder(ReminderOrder)
  case interval(IntervalOrder)
  case stop(Stop)
  /// This much of a sounding has left the converter.
  case heard(SoundingID, Heard)
  case ended(SoundingID, Outcome)
}

public enum Stop: Hashable, Sendable {
  case byHand
  case serviceEnds
}

public enum Effect: Hashable, Sendable {
  /// Wake at this instant; replaces the wake-up that was asked for before. Always the last.
  case wake(at: Instant)
  case play(Sounding)
  /// Fade this out; its end is reported as an event.
  case stop(SoundingID, StopReason)
  case report(Report)
}

extension Effect {
  /// The same effects with the stops first, so that nothing delays the silence.
  static func silenceFirst(_ effects: [Effect]) -> [Effect] {
    func stopped(_ effect: Effect) -> SoundingID? {
      if case .stop(let sounding, _) = effect { sounding } else { nil }
    }
    guard effects.contains(where: { stopped($0) != nil }) else { return effects }
    for case .play(let sounding) in effects {
      precondition(
        !effects.contains { stopped($0) == sounding.id }, "what is stopped is not played as well")
    }
    return effects.filter { stopped($0) != nil } + effects.filter { stopped($0) == nil }
  }
}

public enum Report: Hashable, Sendable {
  case announced(Announcement, Timing)
  /// `after` is the time from the event that stopped it to silence.
  case cutOff(Announcement, StopReason, after: Duration)
  /// It could not be played to its end, though its anchor was heard.
  case brokeOff(Announcement, String)
  case skipped(from: Occasion, through: Occasion, SkipReason)
  /// An order was refused, or a request was accepted and then not heard.
  case refused(Refusal)
  case trust(ClockTrust)
  case switched(SwitchState)
  /// `until` is what the clocks show when the mute ends by itself.
  case mute(SoftwareMute, until: CivilTime?)
  case clockSet(by: Duration)
  case slept(for: Duration)
  /// The device did not play. It is tried again while the spoken time is true.
  case retrying(Occasion, String)
  case reminder(Reminder, ReminderEvent)
  case interval(IntervalTimer, IntervalEvent)
  case unsaid(TimerWords, SkipReason)
  case startUnheard(SkipReason)
}
