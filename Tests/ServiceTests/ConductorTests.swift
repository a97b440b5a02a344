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
    /// Called as soundings are stopped.
    var atStop: (([SoundingID], StopReason) -> Void)?
    /// Called at the next report.
    var atReport: (() -> Void)?

    init(at instant: Instant) {
      now = Now(instant: instant, uptime: Uptime(seconds: 100), sinceBoot: .seconds(100))
    }

    func judgeClock() -> ClockTrust {
      calls.append("judge")
      return trust
    }
    func play(_ sounding: Sounding) throws(Fault) {
      guard case .announcement(let announcement) = sounding else {
        calls.append("cue \(sounding.id.number)")
        if let fault { throw fault }
        return
      }
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
      atStop?(soundings, reason)
    }
    func wake(at instant: Instant) -> Bool {
      defer { wasSetUnwatched = false }
      return !wasSetUnwatched
    }
    func report(_ report: Report) {
      if case .reminder(_, let event) = report { timerEvents.append(event) }
      switch report {
      case .refused(let refusal): calls.append("refused \(refusal.key)")
      case .retrying: calls.append("retrying")
      case .clockSet: calls.append("clock set")
      case .trust(let trust): calls.append("trust \(trust.rawValue)")
      default: calls.append("other")
      }
      atReport?()
      atReport = nil
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

  @Test("a stop is done, whatever it ends before it was heard") func stopOfWhatWasAskedFor() {
    let (conductor, score) = conductor(at: 300)
    guard case .announcement = conductor.answer(to: .asked(nil, at: nil, speakerIsAwake: true))
    else {
      Issue.record("nothing is said")
      return
    }
    score.atStop = { stopped, reason in
      for sounding in stopped {
        conductor.handle(.ended(sounding, .stopped(reason, silentAt: nil)))
      }
    }
    #expect(conductor.answer(to: .stop(.byHand)) == .done)
    #expect(score.takeCalls().contains("refused by_hand"))
  }

  @Test("the clock is judged before every decision") func judgedFirst() {
    let (conductor, score) = conductor(at: 300)
    score.trust = .untrusted
    conductor.handle(.mute(.on))
    #expect(score.takeCalls() == ["judge", "trust untrusted", "judge", "other", "rest"])
  }

  @Test("at the start the switch is known before a change of trust decides anything")
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

  @Test("an order is not answered with the end of what another one asked for")
  func answerOfAnother() {
    let (conductor, score) = conductor(at: 300)
    conductor.handle(.asked(speakerIsAwake: true))
    score.atReport = {
      conductor.handle(.ended(SoundingID(1), .failed("gone", heard: .nothing)))
    }
    #expect(conductor.answer(to: .reminder(.start(.seconds(600), name: nil))) == .number(1))
    #expect(score.takeCalls().contains("refused failed"))
  }

  @Test("what is left and cannot be said is refused with the reason, and where it can be read")
  func leftUnsaid() {
    var settings = AnnouncerSettings()
    settings.saysTimers = true
    let (conductor, score) = conductor(at: 100, settings)
    conductor.handle(.reminder(.start(.seconds(360_000), name: "cheese")))
    score.fault = Fault("voice", "it has no words for '100 h left'")
    let why = "voice: it has no words for '100 h left'"
    let refusal = OrderRefusal.speech(.failed(why))
    #expect(conductor.answer(to: .reminder(.tell("cheese"))) == .refused(.order(refusal)))
    #expect(refusal.description == "\(why); 'clocksmith timer list' shows how much is left")
  }

  @Test("a cue that cannot be played is ended as one that failed") func cue() throws {
    let (conductor, score) = conductor(at: 100)
    score.fault = Fault("speaker", "it is away")
    conductor.handle(.reminder(.start(.seconds(2), name: nil)))
    #expect(score.takeCalls().filter { $0.hasPrefix("cue") }.count == 1)
    // It is tried again a second later.
    score.fault = nil
    score.now = score.now.later(by: .seconds(1))
    conductor.handle(.woke)
    #expect(score.takeCalls().filter { $0.hasPrefix("cue") }.count == 1)
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

  @Test("the end of what plays no longer is the end of nothing else") func endOfAnother() {
    let (conductor, score) = conductor(at: 300)
    let asked = promised(conductor.answer(to: .asked(speakerIsAwake: true)))
    conductor.handle(.ended(SoundingID(7), .failed("gone", heard: .begun)))
    #expect(conductor.announcer.playing == asked && asked != nil)
    #expect(score.isPlaying)
  }

  @Test("an occasion that cannot be played is tried again") func failing() {
    let (conductor, score) = conductor(at: 897)
    score.fault = Fault("speaker", "busy")
    conductor.handle(.woke)
    #expect(score.takeCalls() == ["judge", "play 00:15:00", "judge", "retrying", "rest"])
  }

  @Test("a clock that was set while nobody watched is noticed") func unwatched() {
    let (conductor, score) = conductor(at: 300)
    conductor.handle(.woke)
    _ = score.takeCalls()
    score.wasSetUnwatched = true
    score.now = Now(
      instant: score.now.instant + .seconds(5_000), uptime: score.now.uptime,
      sinceBoot: score.now.sinceBoot)
    conductor.handle(.woke)
    #expect(score.takeCalls().filter { $0 == "judge" }.count == 2)
  }
}
