/// What the rules say of an announcement.
struct Ruling: Equatable {
  /// What the clocks show at its anchor.
  let time: CivilTime
  /// Nil, as the programme, of a time that was asked for.
  let occasion: Occasion?
  let programme: Programme?
  let refusal: SkipReason?
}

extension Announcer {
  /// What the rules said of what has the speaker, when it began. The zone that there was then can
  /// no longer be asked: the process has one, and it may be another by now.
  func rulingSoFar(on turn: Stage.Turn) -> Ruling {
    guard case .occasion(let occasion) = turn.announcement.cause else {
      return Ruling(
        time: turn.shown, occasion: nil, programme: nil,
        refusal: rules.refusalOfRequest(isGiven: true))
    }
    return Ruling(
      time: turn.shown, occasion: occasion, programme: rules.programme(of: occasion),
      refusal: refusal(of: occasion))
  }

  /// What the rules, as they are now, say of it.
  func ruling(on announcement: Announcement) -> Ruling {
    let time = zone.civil(at: announcement.anchor)
    guard case .occasion(let occasion) = announcement.cause else {
      return Ruling(
        time: time, occasion: nil, programme: nil,
        refusal: rules.refusalOfRequest(isGiven: true))
    }
    return Ruling(
      time: time, occasion: quarters.schedule.next(after: occasion.instant - .nanoseconds(1)),
      programme: rules.programme(of: occasion),
      refusal: refusal(of: occasion))
  }
}
