import Horology

/// The clock is trusted where the kernel has it synchronised, and otherwise only if it was so in this
/// start and has not been set since, or if an RTC may vouch for it.
struct Trust: Property {
  /// By how much the clock was set since it was seen synchronised, or the service started.
  private var stepped: Int64 = 0
  /// When an RTC was last there to vouch for it.
  private var vouched: Int64 = .never
  /// An RTC is read at least this often.
  private static let reading = hour + 10 * minute

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .clockSet(let by): stepped += by
    case .started: stepped = 0
    case .judged(let trust, let isSynchronised, let wasSynchronised, let hasRTC):
      if hasRTC { vouched = at.elapsed }
      if isSynchronised { stepped = 0 }
      if isSynchronised != (trust == .synchronised) {
        return "the clock is \(isSynchronised ? "" : "not ")synchronised, and is \(trust)"
      }
      let isHeld = wasSynchronised && abs(stepped) < 2100 * millisecond
      let mayBeVouchedFor =
        at.elapsed - vouched < Self.reading || world.happened(.sleep, since: at.elapsed - minute)
      if trust == .holdover, !isHeld, !mayBeVouchedFor {
        return "the clock is trusted for no reason"
      }
    default: break
    }
    return nil
  }
}

/// Who asks is answered once: the answer is heard, or refused with a reason. Nobody is promised an
/// answer that the switch or the clock forbids.
struct Requests: Property {
  /// When somebody asked, and since when an answer is owed.
  private var asked: Int64 = .never
  private var owed: Int64?

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .ordered(.asked): asked = at.elapsed
    case .promised(let time, let instant, let announcement) where announcement.cause == .request:
      owed = at.elapsed
      // Opening the speaker may have taken a while.
      if world.happened(.contact, .rules, .trust, since: asked) { return nil }
      if world.isSilenced { return "an answer is promised, though the switch silences it" }
      let answers = world.goesByClock || world.settings.untrusted == .ask
      let isNamed = time != nil && instant == nil
      return answers || isNamed ? nil : "an answer is promised by a clock that is not trusted"
    case .heard(.begins, let sounding): if sounding.isRequest { owed = nil }
    case .told(.refused(.request)), .ended: owed = nil
    case .rested:
      guard let owed, at.elapsed > owed + minute, world.isCalm(since: at.elapsed - minute) else {
        return nil
      }
      return "an answer was promised, and is neither heard nor refused"
    default: break
    }
    return nil
  }
}
