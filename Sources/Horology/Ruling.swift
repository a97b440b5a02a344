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
    ruling(on: turn.announcement.cause, showing: turn.shown) { $0 }
  }

  /// What the rules, as they are now, say of it.
  func ruling(on announcement: Announcement) -> Ruling {
    ruling(on: announcement.cause, showing: zone.civil(at: announcement.anchor)) {
      quarters.schedule.next(after: $0.instant - .nanoseconds(1))
    }
  }

  /// - Parameter due: what an occasion is by the schedule that counts.
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
