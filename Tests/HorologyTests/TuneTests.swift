import Horology
import Testing

@Suite struct TuneTests {
  /// At the hour, four notes 0.7 s apart from 10 s before it on, then the strikes. At the first
  /// quarter, one note. At the other quarters, nothing.
  private static let tune = Tune(
    name: "four", description: "",
    movements: [
      0: Tune.Movement(
        melody: (0..<4).map { Blow(bell: "E4", offset: .milliseconds(700 * $0)) },
        lead: .seconds(10),
        strikes: Tune.Strikes(
          bell: "E3", count: .hour, gaps: [.milliseconds(4_390), .milliseconds(4_250)]),
        rest: .seconds(5)),
      1: Tune.Movement(
        melody: [Blow(bell: "B3", offset: .zero)], lead: .zero, strikes: nil, rest: .seconds(3)),
    ])

  private func time(_ text: String) -> CivilTime {
    TestZone.utc.civil(at: Instant("2026-11-21T\(text)"))
  }

  private func settings(_ voice: VoiceAtHour = .after) -> AnnouncerSettings {
    var settings = AnnouncerSettings()
    settings.chime = Self.tune
    settings.chimeQuarters = Self.tune
    settings.voiceAtHour = voice
    return settings
  }

  private func programme(_ text: String, _ voice: VoiceAtHour = .after) -> Programme {
    settings(voice).programme(at: time(text), trust: .synchronised)
  }

  @Test("the first blow of the hour bell is the hour, and there are as many as the hour")
  func firstBlow() {
    for (text, count) in [("00:00:00", 12), ("01:00:00", 1), ("12:00:00", 12), ("15:00:00", 3)] {
      let blows = programme(text).blows.filter { $0.bell == "E3" }
      #expect(blows.first?.offset == .zero)
      #expect(blows.count == count)
      #expect(Self.tune.strikes(at: time(text)) == count)
    }
    #expect(
      programme("03:00:00").blows.map(\.offset).suffix(2) == [
        .milliseconds(4_390), .milliseconds(8_640),
      ])
  }

  @Test("the melody leads, and the words follow the last blow") func melodyAndWords() {
    let programme = programme("15:00:00")
    #expect(programme.blows.first == Blow(bell: "E4", offset: .seconds(-10)))
    #expect(programme.lead == .seconds(10))
    #expect(programme.words == .at(.milliseconds(8_640 + 5_000)))
    #expect(self.programme("15:15:00").words == .at(.seconds(3)))
    #expect(self.programme("15:30:00") == .wordsAlone)
  }

  @Test("words wait for a melody that goes on beside the strikes") func melodyBesideStrikes() {
    var settings = AnnouncerSettings()
    settings.chime = Tune(
      name: "long", description: "",
      movements: [
        0: Tune.Movement(
          melody: (0..<4).map { Blow(bell: "E4", offset: .seconds(3 * $0)) }, lead: .seconds(2),
          strikes: Tune.Strikes(bell: "E3", count: .hour, gaps: [.seconds(4)]), rest: .seconds(5))
      ])
    let programme = settings.programme(at: time("01:00:00"), trust: .synchronised)
    #expect(programme.blows.map(\.offset) == [-2, 0, 1, 4, 7].map { .seconds($0) })
    #expect(programme.words == .at(.seconds(12)))
  }

  @Test("what is over long before its moment leaves the words after the moment") func earlyMelody()
  {
    let early = Tune.Movement(
      melody: [Blow(bell: "B3", offset: .zero), Blow(bell: "E4", offset: .milliseconds(500))],
      lead: .seconds(40), strikes: nil, rest: .seconds(1))
    var settings = AnnouncerSettings()
    settings.chimeQuarters = Tune(name: "early", description: "", movements: [3: early])
    let programme = settings.programme(at: time("15:45:00"), trust: .synchronised)
    #expect(programme.blows.map(\.offset) == [.seconds(-40), .milliseconds(-39_500)])
    #expect(programme.words == .at(.seconds(1)))
  }

  @Test("the hour is spoken before, or not at all, where its owner wants that") func voiceAtHour() {
    #expect(programme("15:00:00", .before).words == .before(.seconds(1), longest: .seconds(5)))
    #expect(programme("15:00:00", .before).lead == .seconds(16))
    #expect(programme("15:00:00", .none).words == .none)
    #expect(programme("15:15:00", .none).words == .at(.seconds(3)))
  }

  @Test(
    "a watch at sea has eight bells",
    arguments: [
      ("00:30:00", 1), ("01:00:00", 2), ("04:00:00", 8), ("04:30:00", 1), ("12:00:00", 8),
      ("18:00:00", 4), ("00:00:00", 8), ("23:30:00", 7),
    ])
  func watch(text: String, bells: Int) {
    let strikes = Tune.Strikes(bell: "ship", count: .watch, gaps: [.milliseconds(600)])
    let movement = Tune.Movement(melody: [], lead: .zero, strikes: strikes, rest: .zero)
    let tune = Tune(name: "ship", description: "", movements: [0: movement, 2: movement])
    #expect(tune.strikes(at: time(text)) == bells)
  }

  // MARK: The Announcer and its chime

  private func announcer(at text: String, _ voice: VoiceAtHour = .after) -> (Announcer, Now) {
    let now = Now(
      instant: Instant("2026-11-21T\(text)"), uptime: Uptime(seconds: 1000),
      sinceBoot: .seconds(1000))
    return (
      Announcer(settings: settings(voice), zone: TestZone.utc, trust: .synchronised, at: now), now
    )
  }

  private func played(_ effects: [Effect]) -> Announcement? {
    for case .play(.announcement(let announcement)) in effects { return announcement }
    return nil
  }

  @Test("it wakes ahead of the melody") func wakesAheadOfTheMelody() {
    var (announcer, now) = announcer(at: "15:50:00")
    let effects = announcer.handle(.woke, at: now).effects
    #expect(
      effects == [
        .wake(at: Instant("2026-11-21T16:00:00") - .seconds(10) - Announcer.preparation)
      ])
  }

  @Test("a question that would take an hour its chime is answered by the hour")
  func questionBeforeTheMelody() {
    // The melody begins at 15:59:50, and is prepared from 15:59:45 on.
    for (asked, isAnswered) in [("15:59:34", true), ("15:59:42", false), ("15:59:44", false)] {
      var (announcer, now) = announcer(at: asked)
      let effects = announcer.handle(.asked(speakerIsAwake: false), at: now).effects
      #expect((played(effects) != nil) == isAnswered, "\(asked)")
      guard isAnswered else { continue }
      now = now.later(by: .seconds(5))
      _ = announcer.end(.finished(.exact), at: now)
      now = now.later(by: .seconds(6))
      #expect(played(announcer.handle(.woke, at: now).effects)?.isShortened == false, "\(asked)")
    }
  }

  @Test("a question leaves room for the lead-in of its answer", arguments: [(0, true), (4, false)])
  func questionWithLeadIn(leadIn: Int, isAnswered: Bool) {
    var settings = settings()
    settings.leadIn = .seconds(leadIn)
    let now = Now(
      instant: Instant("2026-11-21T15:59:37"), uptime: Uptime(seconds: 1000),
      sinceBoot: .seconds(1000))
    var announcer = Announcer(
      settings: settings, zone: TestZone.utc, trust: .synchronised, at: now)
    let effects = announcer.handle(.asked(speakerIsAwake: false), at: now).effects
    #expect((played(effects) != nil) == isAnswered)
  }

  @Test(
    "a melody is begun only if a device that is slow to open is ready for its first note",
    arguments: [("15:59:47", true), ("15:59:48", false), ("15:14:57", true), ("15:14:58", false)])
  func slowDevice(text: String, chimes: Bool) {
    var (announcer, now) = announcer(at: text)
    let announcement = played(announcer.handle(.woke, at: now).effects)
    #expect(announcement?.programme.blows.isEmpty == !chimes)
    #expect(announcement?.isShortened == !chimes)
  }

  @Test("a chime that failed for a slow device is not tried again, and the time is said")
  func failedChime() {
    var (announcer, now) = announcer(at: "15:14:55")
    #expect(played(announcer.handle(.woke, at: now).effects)?.programme.blows.isEmpty == false)
    now = now.later(by: .seconds(6))
    _ = announcer.end(.failed("too late for the chime", heard: .nothing), at: now)
    now = now.later(by: .seconds(1))
    let announcement = played(announcer.handle(.woke, at: now).effects)
    #expect(announcement?.programme == .wordsAlone)
    #expect(announcement?.isShortened == true)
  }

  @Test("a chime without words that is late is skipped") func lateWithoutWords() {
    var (announcer, now) = announcer(at: "15:59:55", .none)
    let effects = announcer.handle(.woke, at: now).effects
    #expect(played(effects) == nil)
    guard case .report(.skipped(_, _, .tooLateForChime))? = effects.first else {
      Issue.record("\(effects)")
      return
    }
  }

  @Test("a chime without words that failed is skipped for what failed")
  func failedWithoutWords() {
    var (announcer, now) = announcer(at: "15:59:46", .none)
    #expect(played(announcer.handle(.woke, at: now).effects) != nil)
    now = now.later(by: .seconds(6))
    _ = announcer.end(.failed("gone", heard: .nothing), at: now)
    now = now.later(by: .seconds(1))
    let effects = announcer.handle(.woke, at: now).effects
    guard case .report(.skipped(_, _, .failed("gone")))? = effects.first else {
      Issue.record("\(effects)")
      return
    }
  }
}
