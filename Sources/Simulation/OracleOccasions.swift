import Glibc
import Horology

/// What the clock passes, and what the service says of it.
extension Oracle {
  mutating func started(_ moment: Moment) {
    clock.start()
    passing.start(moment.shown, Int64(rules.interval) * minute)
    lastAnchor = nil
    mute.look(moment)
    lever.tell(.absent)
    noteSilence(moment)
    disturbed(.service, moment)
  }

  mutating func ended(_ moment: Moment) {
    mute.end(moment)
    passing.open = []
    passing.previous = nil
    played = nil
    silentBy = nil
    disturbed(.service, moment)
  }

  mutating func saved() { mute.save() }

  mutating func powerCame(_ moment: Moment) { mute.powerCame(moment) }

  // MARK: The clock

  /// The service looks at its clocks.
  mutating func looked(_ moment: Moment, uptime: Int64, isBusy: Bool) {
    defer { passing.previous = (moment.shown, uptime) }
    self.isBusy = isBusy
    let wasMuted = mute.state
    mute.look(moment)
    if mute.state != wasMuted { disturbed(.mute, moment) }
    guard let previous = passing.previous else { return }
    let showed = previous.shown + uptime - previous.uptime
    pass(previous.shown, showed, moment)
    let interval = Int64(rules.interval) * minute
    passing.reach(showed, interval)
    if moment.shown < passing.horizon {
      // It was wrong before: the past is forgotten.
      passing.forget()
      passing.lowest = moment.shown
    }
    passing.reach(moment.shown, interval)
    passing.lowest = min(passing.lowest, moment.shown)
    if moment.shown > showed {
      pass(showed, moment.shown, moment)
    } else if moment.shown < showed {
      passing.lastBackStep = moment.elapsed
      passing.nextOccasion = nil
      passing.open.removeAll { $0.occasion > moment.shown }
    }
  }

  private mutating func pass(_ from: Int64, _ to: Int64, _ moment: Moment) {
    if let next = passing.nextOccasion, to < next { return }
    for occasion in face.occasions(after: from, through: to, rules)
    where !passing.accounted.contains(occasion) {
      passing.open.append(.init(occasion: occasion, at: moment.elapsed))
    }
    passing.nextOccasion = face.occasions(after: to, through: to + 3 * hour, rules).first
  }

  /// All that came of an event is done.
  mutating func rested(wakeUp: Int64?, ailment: String?, isBusy: Bool, _ moment: Moment) {
    if let ailment { violated(.wakes, "the living is taken for dead: \(ailment)", moment) }
    guard let wakeUp else { return violated(.wakes, "no wake-up is armed", moment) }
    if wakeUp - moment.shown > 3 * hour { violated(.wakes, "the wake-up is too far away", moment) }
    guard !isBusy, let open = passing.open.first else { return }
    // Set back a little, the clock leaves more time for it.
    let since = min(moment.elapsed - open.at, moment.shown - open.occasion)
    if since > rules.lateLimit + 20 * second {
      violated(
        .complete, "\(Instant(nanoseconds: open.occasion).text) neither sounded nor was explained",
        moment)
    }
  }

  /// The service looked after itself while its wake-up was lost.
  mutating func pulse(isAlive: Bool, wakeUp: Int64?, _ moment: Moment) {
    let isMissed = wakeUp.map { moment.shown - $0 > 5 * second } ?? true
    if isAlive && isMissed { violated(.wakes, "the dead is taken for living", moment) }
  }

  // MARK: The switch and the mute

  mutating func edge(_ isActive: Bool, _ moment: Moment) { lever.edge(isActive, moment) }

  mutating func lostSwitch(_ moment: Moment) { lever.set(lost: true, moment) }

  mutating func tookContact(isLost: Bool, _ moment: Moment) { lever.set(lost: isLost, moment) }

  mutating func told(_ ringer: Ringer, _ moment: Moment) {
    lever.tell(ringer)
    disturbed(.lever, moment)
    noteSilence(moment)
    if isSilencedBySwitch { silentBy = min(silentBy ?? .max, moment.elapsed + Self.fade) }
  }

  var isSilencedBySwitch: Bool {
    switch lever.told {
    case .absent, .on: false
    case .off: true
    case .lost: rules.whenLost == .mute
    }
  }

  mutating func noteSilence(_ moment: Moment) {
    lever.note(isSilent: isSilencedBySwitch, moment)
  }

  mutating func muted(_ mute: SoftwareMute, _ moment: Moment) {
    disturbed(.mute, moment)
    self.mute.take(mute, moment, readings(moment))
    guard mute != .off, let played else { return }
    // What sounds, or was asked for, is not the next occasion.
    let begins = played.announcement.begins.shown
    let isNext =
      heard == nil && readings(moment).allSatisfy { $0 < begins }
      && played.announcement.cause != .request
    if mute != .next || isNext { silentBy = min(silentBy ?? .max, moment.elapsed + Self.fade) }
  }

  // MARK: Requests

  mutating func asked(_ time: CivilTime?, _ moment: Moment) {
    asked = time
    askedAt = moment
  }

  mutating func answered(_ announcement: Announcement, _ moment: Moment) {
    askedFor = asked
    if isSilencedBySwitch {
      violated(.muted, "who asks is answered though the switch silences", moment)
    }
    if asked == nil, let played, !rules.answers(played.trust) {
      violated(.trust, "who asks is answered by a clock that is not trusted", moment)
    }
  }

  // MARK: What is reported

  mutating func told(_ report: Report, _ moment: Moment) {
    switch report {
    case .mute: disturbed(.mute, moment)
    case .announced, .trust, .ringer, .clockSet, .slept, .retrying, .timer, .timerRefused,
      .unsaid:
      break
    case .cutOff(let announcement, let reason, _):
      if case .occasion(let occasion) = announcement.cause {
        passing.account(occasion.instant.shown)
      }
      let since = moment.elapsed - 10 * second
      if !isTrue(reason, since: since) {
        violated(.complete, "it was cut off for no true reason: \(reason)", moment)
      }
    case .brokeOff(let announcement, let why):
      if case .occasion(let occasion) = announcement.cause {
        passing.account(occasion.instant.shown)
      }
      if !happened([.speaker, .sleep, .hold, .clock], since: moment.elapsed - minute) {
        violated(.complete, "it was cut off for no true reason: \(why)", moment)
      }
    case .refused(let reason): judgeRefusal(reason, moment)
    case .skipped(let first, let last, let reason):
      judgeSkip(first.instant.shown, last.instant.shown, reason, moment)
      passing.account(first.instant.shown...last.instant.shown)
      passing.account(last.instant.shown)
    }
  }
}

extension Instant {
  /// As seconds of the day and days since 1970 would be written.
  var text: String { utcText() }
}
