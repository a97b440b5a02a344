import Horology

/// One line of the timeline that the judge reads: what happened to the machine, what people did, what
/// was heard, and what the service told.
enum Fact {
  /// Something that may disturb what is heard, for this much longer.
  case disturbed(Cause, lasting: Int64 = 0)
  case clockSet(by: Int64)
  /// The machine was without power until now.
  case powerCame
  /// The service's judgement of the clock, and how the clock is.
  case judged(ClockTrust, ClockHardware)

  case started
  /// The service's timers and alarms, once it has started or has read its configuration.
  case listed([Reminder])
  case stopping
  /// It is gone; true if it could not end what it did.
  case ended(isKilled: Bool)
  case rested(isSaved: Bool)
  indirect case took(AnnouncerSettings)
  case tookZone
  /// What it reads of the switch.
  case read(SwitchState)

  /// Somebody mutes, stops, presses the button or asks.
  indirect case ordered(Event)
  /// Somebody who asked for the time is promised an answer, at that instant if one was named.
  indirect case promised(Announcement, at: Instant?)

  indirect case heard(Sound.Kind, Sounding)
  indirect case told(Report)

  var cause: Cause? {
    switch self {
    case .clockSet: .clock
    case .powerCame, .started, .stopping, .ended: .service
    case .took, .tookZone: .rules
    case .read: .contact
    // A mute may have ended by itself.
    case .ordered(.mute), .told(.mute): .mute
    case .ordered(.stop), .ordered(.pressed): .hand
    default: nil
    }
  }
}

/// A possible reason for something not to sound as it should.
enum Cause: Int, CaseIterable {
  case clock, sleep, hold, service, speaker, contact, mute, trust, rules, hand
}

extension Sounding {
  var announcement: Announcement? {
    if case .announcement(let announcement) = self { announcement } else { nil }
  }

  /// Words about a timer, an alarm or the interval.
  var words: TimerWords? {
    if case .timer(let words) = announcement?.cause { words } else { nil }
  }

  /// What rings with it.
  var ring: Cue.Source? {
    if case .cue(let cue) = self, cue.signal == .ring { cue.source } else { nil }
  }

  /// True if somebody has set it. Then `silences = announcements` lets it through.
  var isReminder: Bool { announcement == nil || words != nil }

  var blows: [Blow] {
    switch self {
    case .announcement(let announcement): announcement.programme.blows
    case .cue(let cue): cue.blows
    }
  }
}

extension Announcement {
  var occasion: Int64? {
    if case .occasion(let occasion) = cause { occasion.instant.nanoseconds } else { nil }
  }

  /// What the clock says of itself: that it lives, or that it does not know the time.
  var isOfItself: Bool { cause == .start || cause == .untrusted }
}
