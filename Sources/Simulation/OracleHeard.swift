import Horology

/// Judges what is heard.
extension Oracle {
  mutating func hears(_ kind: Sound.Kind, of announcement: Announcement?, _ moment: Moment) {
    if let silentBy, moment.elapsed > silentBy {
      violated(.muted, "it sounds on, though it was muted", moment)
    }
    guard kind != .ends else { return falls(moment) }
    guard let announcement else { return }
    if kind == .begins { return begins(announcement, moment) }
    guard heard != nil else { return }
    switch (announcement.cause, kind) {
    case (.request, .words): hearsAnswer(announcement, moment)
    case (.timer(let words), .words): hears(words, announcement, moment)
    case (.occasion(let occasion), .words):
      hearsWords(announcement, of: occasion.instant.shown, moment)
    case (.occasion(let occasion), .blow(let offset)):
      hearsBlow(offset, of: occasion.instant.shown, moment)
    default: break
    }
  }

  private mutating func begins(_ announcement: Announcement, _ moment: Moment) {
    if heard != nil { violated(.overlap, "something begins while something sounds", moment) }
    heard = Heard(announcement: announcement, began: moment)
    played?.hasBegun = true
    sounded()
    if let since = lever.silentSince, moment.elapsed > since + Self.fade, isRuledBySwitch {
      violated(.muted, "it begins though the switch silences", moment)
    }
    if lever.isClosed(longerThan: 1100 * millisecond, moment), isRuledBySwitch {
      violated(.muted, "it begins though the switch is off", moment)
    }
    guard case .occasion(let occasion) = announcement.cause else { return }
    let instant = occasion.instant.shown
    // An occasion that was due to sound when it was muted is not the next one.
    let isNext = mute.state != .next || mute.isNext(self.begins(announcement), moment)
    if mute.covers(min(instant, moment.shown), moment) == true,
      moment.elapsed > mute.since + Self.fade, isNext
    {
      violated(.muted, "it begins though it is muted by a person", moment)
    }
    let knows = valid(moment).contains { rules, face in
      rules.allows(trust, at: face.reading(instant))
    }
    if !knows, !happened([.trust], since: moment.elapsed - longestQueue) {
      violated(.trust, "it begins by a clock that is not trusted", moment)
    }
    isWhole(announcement, instant, moment)
  }

  /// Checks that it is the occasion's piece. The chime may be missing only if something was in its
  /// way.
  private mutating func isWhole(
    _ announcement: Announcement, _ occasion: Int64, _ moment: Moment
  ) {
    guard let played, !happened([.rules], since: played.since - second) else { return }
    let due = rules.piece(face.reading(occasion), isTrusted: played.trust != .untrusted)
    let piece = announcement.programme.piece
    if piece == due { return }
    guard piece == .wordsAlone, due.words != .none, !due.blows.isEmpty else {
      return violated(.complete, "it is not what belongs to the occasion", moment)
    }
    if !mayBeShortened(occasion, moment) {
      violated(.complete, "its chime is missing, and nothing was in its way", moment)
    }
  }

  mutating func hearsAnswer(_ announcement: Announcement, _ moment: Moment) {
    if announcement.time == askedFor { return }
    let isTrue = valid(moment).contains { _, face in
      isSaid(announcement.time, face, moment)
    }
    if !isTrue { violated(.truth, "'\(announcement.time.dateTime)' is said", moment) }
  }

  /// True if the clock shows this time, or will within the tolerance: converters drift.
  private func isSaid(_ time: CivilTime, _ face: OracleFace, _ moment: Moment) -> Bool {
    readings(moment).contains {
      time.isSame(as: face.reading($0)) || time.isSame(as: face.reading($0 + Self.tolerance))
    }
  }

  private mutating func hearsWords(
    _ announcement: Announcement, of occasion: Int64, _ moment: Moment
  ) {
    let time = announcement.time
    if case .before = announcement.programme.words {
      let isTrue = valid(moment, for: 2 * minute).contains { time.isSame(as: $1.reading(occasion)) }
      if !isTrue { violated(.truth, "'\(time.dateTime)' is said before its chime", moment) }
      return
    }
    let isTrue = valid(moment, for: minute).contains { _, face in
      isSaid(time, face, moment)
    }
    if !isTrue { violated(.truth, "'\(time.dateTime)' is said", moment) }
    if announcement.programme.blows.isEmpty {
      let allowed = Self.tolerance + smallSteps(since: heard!.began.elapsed - 10 * second)
      let latest = rules.lateLimit + allowed
      let isTimely = readings(moment).contains { (-allowed...latest).contains($0 - occasion) }
      let isPrompt = readings(moment).contains { abs($0 - occasion) <= allowed }
      let delay = readings(moment).map { abs($0 - occasion) }.min()!
      if !isPrompt, !mayBeLate(occasion, by: delay, moment) {
        violated(.late, "the words are late, and nothing was in their way", moment)
      }
      if !isTimely, !happened([.rules], since: played?.since ?? 0) {
        let delay = Duration.nanoseconds(moment.shown - occasion).roughly
        violated(.late, "the words are \(delay) off their occasion", moment)
      }
    }
    reachesAnchor(occasion, moment)
  }

  private mutating func hearsBlow(_ offset: Int64, of occasion: Int64, _ moment: Moment) {
    let error: Int64
    if let anchor = heard?.anchor {
      // After the anchor, blows are timed from it, whatever the clock shows.
      let first = max(0, heard!.announcement.programme.piece.blows.first ?? 0)
      error = moment.elapsed - anchor.elapsed - offset + first
    } else {
      let errors = readings(moment).map { $0 - occasion - offset }
      // A step forward may overtake a blow, which then comes at once. The player may see several
      // steps as one.
      let isOvertaken = errors.indices.contains { index in
        errors[index...].contains {
          errors[index] > 0 && $0 < 0 && errors[index] - $0 <= 550 * millisecond
        }
      }
      error = isOvertaken ? 0 : errors.min { abs($0) < abs($1) }!
    }
    let allowed = Self.tolerance + smallSteps(since: heard!.began.elapsed - 10 * second)
    if abs(error) > allowed {
      violated(.late, "a blow is \(Duration.nanoseconds(error).roughly) off its moment", moment)
    }
    if offset >= 0 { reachesAnchor(occasion, moment) }
  }

  /// From here on the occasion has sounded.
  private mutating func reachesAnchor(_ occasion: Int64, _ moment: Moment) {
    guard heard?.anchor == nil else { return }
    heard?.anchor = moment
    played?.hasReachedAnchor = true
    let known = valid(moment)
    if !known.contains(where: { $0.isOccasion($1.reading(occasion)) }) {
      violated(.truth, "there is no occasion", moment)
    }
    if known.allSatisfy({ $0.isQuiet($1.reading(occasion)) }) {
      violated(.quiet, "it sounds in quiet hours", moment)
    }
    if passing.sounded[occasion] != nil {
      violated(.once, "the occasion sounds again", moment)
    }
    let isOfThisClock = passing.lastBackStep < (played?.since ?? 0)
    if occasion <= passing.lowest - Self.tolerance, isOfThisClock {
      violated(.once, "an occasion from before the start sounds", moment)
    }
    if let lastAnchor, occasion <= lastAnchor.occasion,
      passing.lastBackStep < lastAnchor.moment.elapsed
    {
      violated(.order, "an earlier occasion sounds after a later one", moment)
    }
    earlierAnchor = lastAnchor
    lastAnchor = (occasion, moment)
    passing.sounded[occasion] = moment.elapsed
    ledger.sounds(occasion)
    passing.account(occasion)
  }

  /// True of an answer or of a timer's words, if nothing has changed since they were played: they
  /// had to be over before the next occasion.
  private var isAnswerInTime: Bool {
    guard let played, played.announcement.occasion == nil else { return false }
    return !happened([.clock, .trust, .rules, .lever, .mute], since: played.since)
  }

  /// The sound ends.
  private mutating func falls(_ moment: Moment) {
    guard let heard else { return }
    self.heard = nil
    silentBy = nil
    if !isAnswerInTime { passing.lastInTheWay = moment.elapsed }
    if case .occasion(let occasion) = heard.announcement.cause {
      // It may have been stopped before its anchor, which was then heard in the fade. Small steps
      // of the clock just before lengthen that time.
      let faded = Self.fade + smallSteps(since: heard.began.elapsed - 10 * second)
      if let anchor = heard.anchor, moment.elapsed - anchor.elapsed <= faded {
        passing.sounded[occasion.instant.shown] = nil
        lastAnchor = earlierAnchor
      }
    }
    disturbed(.busy, moment)
    let since = (played?.since ?? 0) - second
    // The volume of the time for an alarm is judged when it is given to the player.
    guard !happened([.rules, .clock, .sleep], since: since),
      riseOfTime(heard.announcement, moment) == nil
    else { return }
    let anchor = heard.announcement.anchor.shown
    let levels = [heard.began.shown, anchor, moment.shown].map { rules.decibels(face.reading($0)) }
    if !levels.contains(heard.announcement.decibels) {
      violated(.level, "it is at \(heard.announcement.decibels) dB, not \(levels[1])", moment)
    }
  }
}
