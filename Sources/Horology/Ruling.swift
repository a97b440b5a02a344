/// What the rules say about an announcement.
struct Ruling: Equatable {
  /// What the clocks show at its anchor.
  let time: CivilTime
  /// Nil, like the programme, for a requested time and for words about timers.
  let occasion: Occasion?
  let programme: Programme?
  let refusal: SkipReason?
}

extension Announcer {
  /// What the rules say about the announcement that has the turn, with its time and occasion as
  /// they were when it began. The zone of that moment cannot be asked any more: the process has
  /// only one, which may have changed since.
  func rulingSoFar(on turn: Stage.Turn) -> Ruling {
    ruling(on: turn.announcement.cause, showing: turn.shown) { $0 }
  }

  /// What the rules and the zone, as they are now, say about an announcement.
  func ruling(on announcement: Announcement) -> Ruling {
    ruling(on: announcement.cause, showing: zone.civil(at: announcement.anchor)) {
      quarters.schedule.next(after: $0.instant - .nanoseconds(1))
    }
  }

  /// - Parameter due: gives the occasion that the schedule now has in place of this one.
  private func ruling(
    on cause: Announcement.Cause, showing time: CivilTime, due: (Occasion) -> Occasion
  ) -> Ruling {
    switch cause {
    case .occasion(let occasion):
      Ruling(
        time: time, occasion: due(occasion), programme: rules.programme(of: occasion),
        refusal: refusal(of: occasion))
    case .request:
      Ruling(
        time: time, occasion: nil, programme: nil,
        refusal: rules.refusalOfRequest(isGiven: true))
    case .timer:
      Ruling(time: time, occasion: nil, programme: nil, refusal: rules.refusalOfTimers)
    }
  }
}
