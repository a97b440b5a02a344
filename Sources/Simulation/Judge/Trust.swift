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
/// answer that the switch or the clock forbids. Who presses the button hears that the clock is not
/// trusted.
struct Requests: Property {
  /// When somebody asked, and since when an answer is owed.
  private var asked: Int64 = .never
  private var owed: Int64?
  /// The last order was the button's.
  private var isPressed = false
  /// Since when it is owed that the clock is not trusted.
  private var owedDoubt: Int64?

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .ordered(let order):
      isPressed = false
      switch order {
      case .asked: asked = at.elapsed
      case .pressed: isPressed = true
      default: break
      }
    case .promised(let time, let instant, let announcement) where announcement.cause == .request:
      owed = at.elapsed
      // Opening the speaker may have taken a while.
      if world.happened(.contact, .rules, .trust, since: asked) { return nil }
      if world.isSilenced { return "an answer is promised, though the switch silences it" }
      let answers = world.goesByClock || world.settings.untrusted == .ask
      let isNamed = time != nil && instant == nil
      return answers || isNamed ? nil : "an answer is promised by a clock that is not trusted"
    case .heard(.begins, let sounding):
      if sounding.isRequest { owed = nil }
      // Whatever is said shows that the clock lives.
      if sounding.announcement != nil { owedDoubt = nil }
    case .told(.refused(.request(let reason))):
      owed = nil
      // What is just over may not have been told yet.
      let isSaying =
        at.elapsed - world.lastAnnounced < second
        || world.heard.values.contains { $0.sounding.announcement != nil }
      owedDoubt =
        reason == .untrusted && isPressed && !isSaying && world.isUnmuted ? at.elapsed : nil
    case .ended: (owed, owedDoubt) = (nil, nil)
    case .rested:
      if let since = owedDoubt, at.elapsed > since + minute {
        owedDoubt = nil
        if world.isCalm(since: since + 1) { return "the button is not told of the doubt" }
      }
      guard let owed, at.elapsed > owed + minute, world.isCalm(since: at.elapsed - minute) else {
        return nil
      }
      return "an answer was promised, and is neither heard nor refused"
    default: break
    }
    return nil
  }
}

/// After the machine has started, the clock gives its signal once, unless it is to be silent.
struct Starts: Property {
  private var isFirst = true
  /// The first start since the machine started, while its signal may still come.
  private var start: Moment?

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .powerCame: isFirst = true
    case .started:
      start = isFirst ? at : nil
      isFirst = false
    case .heard(.begins, let sounding) where sounding.announcement != nil:
      defer { start = nil }
      guard sounding.isStart else { return nil }
      guard let start else { return "the signal of the start comes again" }
      return isQuiet(start, world) ? "the signal of the start comes in quiet hours" : nil
    case .told(.startUnheard(.occasionIsNear)), .ended: start = nil
    case .rested:
      guard let start, at.elapsed > start.elapsed + minute else { return nil }
      self.start = nil
      let isDue =
        world.settings.atStart == .signal && world.isUnmuted && !world.isSilenced
        && !isQuiet(start, world)
      return isDue && world.isCalm(since: start.elapsed + 1)
        ? "the signal of the start is not heard" : nil
    default: break
    }
    return nil
  }

  private func isQuiet(_ moment: Moment, _ world: Situation) -> Bool {
    world.settings.isQuiet(world.face.reading(moment.shown))
  }
}
