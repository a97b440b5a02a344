import TestSupport
import Testing

@testable import Horology

/// How timers are silenced, what their words wait for, and which timers a restart keeps.
@Suite struct TimerSilenceTests {
  private static let start = "2026-11-21T15:01:00"

  // MARK: The switch, quiet hours, mutes

  @Test("turned off between the giving and the ring, the player loses it, and has it anew")
  func switchedOffAndOn() {
    var desk = Desk(at: Self.start)
    desk.start(.seconds(4))
    let zero = desk.cues.map(\.anchor)
    desk.tell(.switched(.off, at: desk.now.uptime))
    #expect(desk.stopped.count == 1)
    desk.tell(.switched(.on, at: desk.now.uptime))
    #expect(desk.cues.map(\.anchor) == zero)
  }

  @Test(
    "muting ends what rings; a mute of the next occasion does not", .rule("mute-stops", "mute-next")
  ) func mute() {
    var desk = Desk(at: Self.start)
    desk.start(.seconds(10))
    _ = desk.live(for: .seconds(11))
    desk.tell(.mute(.next))
    #expect(desk.stopped.isEmpty)
    desk.tell(.mute(.on))
    #expect(desk.timerEvents == [.stopped(.muted)])
    #expect(!desk.stopped.isEmpty)
  }

  @Test(
    "what is silenced by other rules ends what rings, and does not come back",
    .rule("switch-reminders", "setting-and-sound"))
  func reloaded() {
    var desk = Desk(at: Self.start) { $0.silences = .announcements }
    desk.tell(.switched(.off, at: desk.now.uptime))
    desk.start(.seconds(10))
    _ = desk.live(for: .seconds(11))
    var settings = desk.announcer.settings
    settings.silences = .everything
    desk.tell(.reloaded(settings))
    #expect(desk.timerEvents == [.stopped(.rulesChanged)])
    #expect(!desk.stopped.isEmpty)
    desk.tell(.switched(.on, at: desk.now.uptime))
    #expect(desk.live(for: .seconds(30)).cues.isEmpty)
  }

  @Test(
    "quiet hours, a mute and a clock that is not trusted let timers and intervals sound",
    .rule("quiet-rings", "muted-rings", "untrusted-rings"))
  func notSilenced() throws {
    let quiet = try QuietHours(text: "15:00-16:00")
    for desk in [
      Desk(at: Self.start) { $0.quiet = quiet }, Desk(at: Self.start, mute: .on),
      Desk(at: Self.start, trust: .untrusted),
    ] {
      var desk = desk
      desk.start(.seconds(10))
      desk.start(.plain(every: .seconds(20)))
      desk.tell(.reminder(.set(.at("15:02"))))
      let seen = desk.live(for: .seconds(65))
      #expect(seen.events == [.rings(.due(late: nil))])
      #expect(Set(seen.cues.map(\.signal)) == [.ring, .cue])
      let isTrusted = desk.announcer.trust != .untrusted
      #expect(seen.alarms == [isTrusted ? .rings(.due(late: nil)) : .silenced(.untrusted)])
    }
  }

  // MARK: Words

  @Test("half of an odd length is said when it is so", .rule("tell-left")) func oddHalf() {
    var desk = Desk(at: Self.start) {
      $0.saysTimers = true
      $0.tellsLeft = [.half]
    }
    desk.start(.seconds(630))
    let began = desk.now.instant
    let said = desk.live(for: .seconds(400)).announcements
    #expect(said.map { $0.anchor - began } == [.seconds(330)])
    guard case .timer(let words)? = said.first?.cause else { return }
    #expect(words.phrases == [.left(.seconds(300))])
  }

  @Test("its words follow the first ring", .rule("ring-ducks")) func words() {
    var desk = Desk(at: Self.start) { $0.saysTimers = true }
    desk.start(.seconds(600), "tea")
    let zero = desk.now.instant + .seconds(600)
    let seen = desk.live(for: .seconds(620))
    let said = seen.announcements
    #expect(said.count == 1)
    #expect(said.first?.anchor == zero + TimerWords.afterRing)
    // They begin at their own level: the ring turns nothing down any more.
    guard case .until(let end)? = seen.cues.first?.ducking else {
      Issue.record("the ring does not end its ducking")
      return
    }
    #expect(end == .milliseconds(1600) && end + Ducking.returnTakes <= TimerWords.afterRing)
    guard case .timer(let words)? = said.first?.cause else { return }
    #expect(words.phrases == [.name("tea"), .timer(.seconds(600))])
  }

  @Test("they wait for an announcement, at most 10 s; the cue waits for nothing")
  func wordsWait() {
    // The timer is at zero at 15:15:00, together with the quarter.
    var desk = Desk(at: Self.start) { $0.saysTimers = true }
    desk.start(.seconds(840))
    let seen = desk.live(for: .seconds(860))
    #expect(seen.announcements.map(\.cause.isOccasion) == [true, false])
    #expect(seen.announcements[0].anchor == Instant("2026-11-21T15:15:00"))
    #expect(seen.announcements[1].anchor >= Instant("2026-11-21T15:15:02"))
    #expect(seen.cues.first?.anchor == desk.now.sinceBoot - .seconds(20))
  }

  @Test("words that wait too long are dropped, and that is told") func wordsDropped() {
    var desk = Desk(at: Self.start) { $0.saysTimers = true }
    desk.tell(.asked(speakerIsAwake: true))
    desk.start(.seconds(1))
    desk.wait(for: .seconds(1))
    desk.wait(for: .seconds(1) + desk.announcer.settings.leadIn + .seconds(11))
    var unsaid: SkipReason?
    for case .unsaid(_, let reason) in desk.reports { unsaid = reason }
    #expect(unsaid == .busy)
    #expect(desk.timers.first?.isRinging == true)
  }

  @Test("a voice without the words says nothing, and says so") func noWords() {
    var desk = Desk(at: Self.start)
    desk.start(.seconds(600))
    desk.tell(.reminder(.tell(nil)))
    #expect(desk.orderRefusal == .noWords)
    #expect(desk.played == nil)
    #expect(desk.live(for: .seconds(610)).announcements.isEmpty)
  }

  @Test("they take no occasion its moment") func nearOccasion() {
    var desk = Desk(at: "2026-11-21T15:14:50") { $0.saysTimers = true }
    desk.start(.seconds(600), "tea")
    desk.wait(for: .milliseconds(4500))
    desk.tell(.reminder(.tell("tea")))
    #expect(desk.orderRefusal == .speech(.occasionIsNear))
  }

  @Test(
    "its words are said before an occasion if the longest of the voice ends by then",
    arguments: [(Duration.seconds(3), true), (.milliseconds(5500), false)])
  func longestWords(_ longest: Duration, isSaid: Bool) {
    var desk = Desk(at: "2026-11-21T15:10:00") {
      $0.saysTimers = true
      $0.tellsLeft = [.minute]
      $0.longestPhrase = longest
    }
    // One minute is left 5.5 s before the quarter.
    desk.start(Instant("2026-11-21T15:15:54") + .milliseconds(500) - desk.now.instant)
    let said = desk.live(for: .seconds(310)).announcements.filter { !$0.cause.isOccasion }
    #expect(said.first.map { $0.anchor < Instant("2026-11-21T15:15:00") } == isSaid)
  }

  @Test("half of it, and one minute, are said where that is wanted", .rule("tell-left"))
  func tellsLeft() {
    var desk = Desk(at: "2026-11-21T15:01:10") {
      $0.saysTimers = true
      $0.tellsLeft = [.half, .minute]
    }
    desk.start(.seconds(600), "tea")
    let began = desk.now.instant
    let said = desk.live(for: .seconds(620)).announcements
    #expect(said.map { $0.anchor - began } == [.seconds(300), .seconds(540), .seconds(602)])
    // Nothing is said of a cancelled timer.
    desk.tell(.stop(.byHand))
    desk.start(.seconds(600))
    desk.tell(.reminder(.cancel(.timer, "1")))
    #expect(desk.live(for: .seconds(120)).announcements.isEmpty)
  }

  @Test(
    "half of less than two minutes is not said, and during a mute nothing of what is left",
    .rule("tell-left", "tell-left-muted"))
  func tellsNothing() {
    for (length, mute, count) in [
      (120, SoftwareMute.off, 1), (118, .off, 0), (120, .on, 0),
    ] {
      var desk = Desk(at: "2026-11-21T15:01:10", mute: mute) {
        $0.saysTimers = true
        $0.tellsLeft = [.half]
      }
      desk.start(.seconds(length))
      #expect(desk.live(for: .seconds(length - 1)).announcements.count == count)
    }
  }

  @Test(
    "a reload leaves alone what waits to be said", arguments: [400, 900])
  func reloadWhileItWaits(leadIn: Int) throws {
    var desk = Desk(at: "2026-11-21T15:05:00") {
      $0.saysTimers = true
      $0.tellsLeft = [.minute]
    }
    desk.start(.seconds(120))
    desk.wait(for: .seconds(58))
    desk.tell(.asked(speakerIsAwake: true))
    let asked = try #require(desk.announcer.playing?.id)
    desk.wait(for: .seconds(3))
    var settings = desk.announcer.settings
    settings.leadIn = .milliseconds(leadIn)
    desk.tell(.reloaded(settings))
    desk.tell(.ended(asked, .finished(.exact)))
    guard case .timer(let words)? = desk.announcer.playing?.cause else {
      Issue.record("it is not said")
      return
    }
    #expect(words.phrases == [.left(.seconds(60))])
  }

  // MARK: After a start

  @Test(
    "without an RTC it waits for the right time, and then knows what ran out",
    .rule("timer-unmoved", "timer-late"))
  func noRTC() {
    var desk = Desk(at: Self.start)
    desk.start(.seconds(600))
    // Without an RTC, the clock goes on from about the time of the power cut.
    desk.cutPower(showing: desk.now.instant + .seconds(660) - .seconds(650))
    #expect(desk.timers.first?.left(at: desk.now) == .seconds(590))
    desk.step(by: .seconds(650))
    #expect(desk.timerEvents == [.rings(.due(late: .seconds(60)))])
    // A timer that was started after boot follows no clock.
    desk.start(.seconds(600))
    desk.step(by: .seconds(-3600))
    #expect(desk.timers.last?.left(at: desk.now) == .seconds(600))
  }

  @Test("once the clock is trusted, no step moves what a power cut left", .rule("timer-unmoved"))
  func trustedSince() {
    var desk = Desk(at: Self.start)
    desk.start(.seconds(600))
    desk.cutPower(showing: desk.now.instant + .seconds(60) - .seconds(50))
    desk.step(by: .seconds(50))
    #expect(desk.timers.first?.left(at: desk.now) == .seconds(540))
    desk.tell(.trust(.synchronised))
    desk.step(by: .seconds(-3600))
    #expect(desk.timers.first?.left(at: desk.now) == .seconds(540))
  }

  @Test("a clock that is ahead and not trusted ends no timer for good", .rule("timer-late"))
  func aheadAndUntrusted() {
    var desk = Desk(at: Self.start)
    desk.start(.seconds(3600))
    desk.cutPower(showing: desk.now.instant + .seconds(60) + .seconds(86_400))
    #expect(desk.timers.first?.isRinging == true)
  }

  @Test("of one that is paused by a clock that is behind, no more is left than there ever was")
  func pausedBehind() {
    var desk = Desk(at: Self.start)
    desk.start(.seconds(600))
    desk.cutPower(showing: desk.now.instant + .seconds(60) - .seconds(40 * 86_400))
    desk.tell(.reminder(.pause("1")))
    #expect(desk.timers.first?.left(at: desk.now) == .seconds(600))
  }

  @Test(
    "what rang when the power went rings on, though the clock comes back behind",
    .rule("timer-kept"))
  func rangAtPowerCut() {
    var desk = Desk(at: Self.start)
    desk.start(.seconds(10))
    _ = desk.live(for: .seconds(12))
    desk.cutPower(showing: desk.now.instant + .seconds(60) - .seconds(3600))
    #expect(desk.timers.first?.isRinging == true)
    #expect(!desk.live(for: .seconds(8)).cues.isEmpty)
  }

  @Test(
    "what ran out while the machine was off rings up to ring_limit later",
    .rule("timer-late", "timer-kept"), arguments: [900, 901])
  func late(seconds: Int) {
    var desk = Desk(at: Self.start)
    desk.start(.seconds(600))
    desk.restart(after: .seconds(600 + seconds), isSameBoot: false)
    let late = Duration.seconds(seconds)
    #expect(desk.timerEvents == [seconds == 900 ? .rings(.due(late: late)) : .expired(late: late)])
  }

  @Test("what is said of the time left moves with the timer") func wordsMove() {
    var desk = Desk(at: "2026-11-21T15:01:10") {
      $0.saysTimers = true
      $0.tellsLeft = [.minute]
    }
    desk.start(.seconds(600))
    desk.cutPower(showing: desk.now.instant + .seconds(60) + .seconds(120))
    desk.step(by: .seconds(-120))
    let began = desk.now.instant
    let said = desk.live(for: .seconds(541)).announcements.filter { !$0.cause.isOccasion }
    #expect(said.map { $0.anchor - began } == [.seconds(480)])
  }
}
