import Basics
import Horology
import Service
import Sound
import TestSupport
import Testing

/// The Conductor, on instruments that record their calls.
@Suite struct ConductorTests {
  private final class Score: Instruments {
    var now: Now
    var isPlaying = false
    var trust = ClockTrust.synchronised
    var fault: Fault?
    /// The clocks once the speaker is open; nil if opening takes no time.
    var opensAt: Now?
    /// The trust in the clock once the speaker is open; nil if it stays the same.
    var opensTrusted: ClockTrust?
    var wasSetUnwatched = false
    private(set) var calls: [String] = []
    var timerEvents: [ReminderEvent] = []

    init(at instant: Instant) {
      now = Now(instant: instant, uptime: Uptime(seconds: 100), sinceBoot: .seconds(100))
    }

    func judgeClock() -> ClockTrust {
      calls.append("judge")
      return trust
    }
    func play(_ sounding: Sounding) throws(Fault) {
      guard case .announcement(let announcement) = sounding else { return }
      calls.append("play \(announcement.time.dateTime.timeOfDay)")
      if let fault { throw fault }
      now = opensAt ?? now
      opensAt = nil
      trust = opensTrusted ?? trust
      isPlaying = true
    }
    func stop(_ soundings: [SoundingID], _ reason: StopReason) {
      let numbers = soundings.map { "\($0.number)" }.joined(separator: " ")
      calls.append("stop \(numbers) \(reason.key)")
    }
    func wake(at instant: Instant) -> Bool {
      defer { wasSetUnwatched = false }
      return !wasSetUnwatched
    }
    func report(_ report: Report) {
      if case .reminder(_, let event) = report { timerEvents.append(event) }
      switch report {
      case .refused(let refusal): calls.append("refused \(refusal.key)")
      case .clockSet: calls.append("clock set")
      case .trust(let trust): calls.append("trust \(trust.rawValue)")
      default: calls.append("other")
      }
    }
    func rest() { calls.append("rest") }

    func takeCalls() -> [String] {
      defer { calls = [] }
      return calls
    }
  }

  /// A conductor whose clock shows `seconds` after the start of 1970.
  private func conductor(
    at seconds: Int64, trust: ClockTrust = .synchronised,
    _ settings: AnnouncerSettings = AnnouncerSettings()
  ) -> (Conductor, Score) {
    let score = Score(at: Instant(seconds: seconds))
    let conductor = Conductor(
      Announcer(
        settings: settings, zone: UTCZone(), trust: trust, switchState: .on,
        at: score.now))
    conductor.instruments = score
    return (conductor, score)
  }

  @Test("what sounds is silenced before the clock is judged") func silenceFirst() {
    let (conductor, score) = conductor(at: 897)
    conductor.handle(.woke)
    #expect(score.takeCalls() == ["judge", "play 00:15:00", "rest"])
    score.now = score.now.later(by: .seconds(4))
    conductor.handle(.switched(.off, at: score.now.uptime))
    #expect(score.takeCalls() == ["stop 1 switch_off", "other", "judge", "rest"])
  }

  @Test("a clock that was set while the speaker was being opened is noticed at once")
  func setWhileOpening() {
    let (conductor, score) = conductor(at: 897)
    let opened = score.now.later(by: .seconds(4))
    score.opensAt = Now(
      instant: opened.instant - .seconds(100), uptime: opened.uptime, sinceBoot: opened.sinceBoot)
    score.wasSetUnwatched = true
    conductor.handle(.woke)
    #expect(
      score.takeCalls() == [
        "judge", "play 00:15:00", "judge", "stop 1 clock_set", "clock set", "rest",
      ])
  }

  @Test(
    "at the start the switch is known before a change of trust decides anything",
    .rule("silenced-timer"))
  func switchAtStart() {
    let (before, score) = conductor(at: 100)
    before.handle(.reminder(.start(.seconds(10), name: "tea")))
    // The timer runs out while the service is away.
    score.now = score.now.later(by: .seconds(60))
    let restarted = Conductor(
      Announcer(
        settings: AnnouncerSettings(), zone: UTCZone(), trust: .untrusted,
        reminders: before.announcer.reminders, at: score.now))
    restarted.instruments = score
    score.timerEvents = []
    _ = score.takeCalls()
    restarted.handle(.switched(.off, at: score.now.uptime))
    #expect(
      score.takeCalls() == ["other", "judge", "trust synchronised", "other", "judge", "rest"])
    #expect(score.timerEvents == [.silenced(.switchOff)])
  }

  @Test("once another trust has had the speaker opened, the clock is judged anew")
  func judgedAfterOpening() {
    let (conductor, score) = conductor(at: 300, trust: .untrusted)
    score.now = score.now.later(by: .seconds(597))
    let opened = score.now.later(by: .seconds(4))
    score.opensAt = Now(
      instant: opened.instant - .seconds(100), uptime: opened.uptime, sinceBoot: opened.sinceBoot)
    score.opensTrusted = .untrusted
    conductor.handle(.mute(.on))
    #expect(
      score.takeCalls() == [
        "judge", "trust synchronised", "play 00:15:00",
        "judge", "stop 1 clock_set", "clock set", "trust untrusted", "judge", "other", "rest",
      ])
  }

  @Test("an order that comes after a change of trust has its own answer") func order() {
    let (conductor, score) = conductor(at: 100)
    score.trust = .untrusted
    #expect(conductor.answer(to: .reminder(.start(.seconds(600), name: "tea"))) == .number(1))
  }

  @Test("who asks is answered with what is said, or with why nothing is") func asked() {
    let (conductor, score) = conductor(at: 300)
    let question = Event.asked(speakerIsAwake: true)
    #expect(promised(conductor.answer(to: question))?.time.minute == 5)
    #expect(conductor.answer(to: question) == .refused(.request(.busy)))
    score.isPlaying = false
    conductor.handle(
      .ended(SoundingID(1), .finished(.init(onsetError: nil, worstError: nil, underruns: 0))))
    score.fault = Fault("speaker", "gone")
    #expect(
      conductor.answer(to: question) == .refused(.request(.failed("speaker: gone"))))
    // The earlier refusal is not reported again.
    score.fault = nil
    #expect(promised(conductor.answer(to: question))?.id == SoundingID(3))
  }

  private func promised(_ answer: Answer) -> Announcement? {
    if case .announcement(let announcement) = answer { announcement } else { nil }
  }
}
