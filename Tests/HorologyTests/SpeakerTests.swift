import Testing

@testable import Horology

/// Who has the speaker, and which words wait for it.
@Suite struct SpeakerTests {
  private static let now = Now("2026-11-21T15:00:00", running: .seconds(100))

  private func announcement(
    _ number: Int, _ cause: Announcement.Cause = .request
  ) -> Announcement {
    Announcement(
      SoundingID(number), cause: cause, time: TestZone.utc.civil(at: Self.now.instant),
      anchor: Self.now.instant)
  }

  private func words(_ phrase: TimerPhrase, of number: Int) -> TimerWords {
    TimerWords(
      source: phrase == .time ? .alarm(number) : .timer(number), title: "", phrases: [phrase],
      from: .seconds(100), until: .seconds(110))
  }

  private var occasion: Announcement.Cause {
    .occasion(Schedule(interval: .quarter, zone: TestZone.utc).next(after: Self.now.instant))
  }

  private func takenBack(_ reason: StopReason) -> Silence {
    Silence(reason: reason, announcement: .takenBack)
  }

  @Test("an occasion is taken back once, before its anchor, and keeps the first reason")
  func takenBackOnce() {
    var speaker = Speaker()
    speaker.begin(announcement(1, occasion))
    let first = speaker.silence(takenBack(.muted), at: Self.now, reopens: true)
    #expect(first == [.stop(SoundingID(1), .muted)])
    let second = speaker.silence(takenBack(.clockSet), at: Self.now, reopens: true)
    #expect(second.isEmpty)
    let byHand = Silence(reason: .byHand, announcement: .stops)
    let third = speaker.silence(byHand, at: Self.now, reopens: true)
    #expect(third == [.stop(SoundingID(1), .byHand)])
    let ended = speaker.end(SoundingID(1))
    #expect(ended?.isTakenBack == true)
    #expect(ended?.stopped?.reason == .muted)
    #expect(speaker.turn == nil)
  }

  @Test("what is taken back is decided anew if it is an occasion, and the service goes on")
  func reopened() {
    for (cause, reopens) in [(Announcement.Cause.request, true), (occasion, false)] {
      var speaker = Speaker()
      speaker.begin(announcement(1, cause))
      let effects = speaker.silence(takenBack(.muted), at: Self.now, reopens: reopens)
      #expect(effects.count == 1)
      let ended = speaker.end(SoundingID(1))
      #expect(ended?.isTakenBack == false)
    }
  }

  @Test("nothing is taken back once its anchor was heard") func anchorHeard() {
    var speaker = Speaker()
    speaker.begin(announcement(1, occasion))
    speaker.heard(SoundingID(2), .anchor)
    #expect(!speaker.isHeard)
    speaker.heard(SoundingID(1), .anchor)
    #expect(speaker.isHeard)
    let effects = speaker.silence(takenBack(.muted), at: Self.now, reopens: true)
    #expect(effects.isEmpty)
    let other = speaker.end(SoundingID(2))
    #expect(other?.announcement == nil && speaker.turn?.heard == .anchor)
  }

  @Test("words wait once, and no more once they are said; the time is said for all alarms")
  func words() {
    var speaker = Speaker()
    let name = words(.name("tea"), of: 1)
    for each in [name, words(.time, of: 1), words(.time, of: 2), name] { speaker.plan(each) }
    #expect(speaker.words.count == 3)
    speaker.begin(announcement(1, .timer(words(.time, of: 2))))
    #expect(speaker.words == [name])
    speaker.dropWords(of: .timer(1))
    #expect(speaker.words.isEmpty)
  }

  #if compiler(>=6.2)
    @Test("there are never two announcements, nor two soundings of one number")
    func invariants() async {
      await #expect(processExitsWith: .failure) {
        var speaker = Speaker()
        speaker.begin(SpeakerTests().announcement(1))
        speaker.begin(SpeakerTests().announcement(2))
      }
      await #expect(processExitsWith: .failure) {
        var speaker = Speaker()
        speaker.begin(SpeakerTests().announcement(1))
        _ = speaker.end(SoundingID(1))
        speaker.begin(SpeakerTests().announcement(1))
      }
      await #expect(processExitsWith: .failure) {
        var cues = CueBook()
        let cue = Cue(
          SoundingID(1), of: .interval, .cue, at: .zero, mayBeLateBy: .zero, decibels: 0)
        cues.give(cue, at: SpeakerTests.now)
        _ = cues.end(SoundingID(1), with: .tooLate(by: .zero), at: SpeakerTests.now)
        cues.give(cue, at: SpeakerTests.now)
      }
    }
  #endif
}
