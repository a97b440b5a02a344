import Horology
import TestSupport
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

  @Test(
    "the first blow of the hour bell is the hour, and there are as many as the hour",
    .rule("first-blow"))
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

  @Test("the melody leads, and the words follow the last blow", .rule("hour-order"))
  func melodyAndWords() {
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

  @Test("the hour is spoken before, or not at all, where its owner wants that", .rule("hour-order"))
  func voiceAtHour() {
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

  private func desk(at time: String, _ voice: VoiceAtHour = .after, leadIn: Int = 0) -> Desk {
    Desk(at: "2026-11-21T\(time)") {
      $0 = settings(voice)
      $0.leadIn = .seconds(leadIn)
    }
  }

  @Test("it wakes ahead of the melody") func wakesAheadOfTheMelody() {
    let due = Instant("2026-11-21T16:00:00") - .seconds(10) - Announcer.preparation
    #expect(desk(at: "15:50:00").wake == due)
  }

  @Test(
    "a question that would take an hour its chime is answered by the hour",
    arguments: [
      ("15:59:34", 0, true), ("15:59:37", 0, true), ("15:59:37", 4, false), ("15:59:42", 0, false),
      ("15:59:44", 0, false),
    ])
  func questionBeforeTheMelody(asked: String, leadIn: Int, isAnswered: Bool) {
    var desk = desk(at: asked, leadIn: leadIn)
    desk.tell(.asked(speakerIsAwake: false))
    #expect((desk.played != nil) == isAnswered)
  }

  @Test(
    "a melody is begun only if a device that is slow to open is ready for its first note",
    .rule("late-chime"),
    arguments: [("15:59:47", true), ("15:59:48", false), ("15:14:57", true), ("15:14:58", false)])
  func slowDevice(time: String, chimes: Bool) {
    let announcement = desk(at: time).announcer.playing
    #expect(announcement?.programme.blows.isEmpty == !chimes)
    #expect(announcement?.isShortened == !chimes)
  }

  @Test(
    "a chime that failed for a slow device is not tried again, and the time is said",
    .rule("late-chime"))
  func failedChime() {
    var desk = desk(at: "15:14:55")
    #expect(desk.announcer.playing?.programme.blows.isEmpty == false)
    desk.open(for: .seconds(6))
    desk.end(.failed("too late for the chime", heard: .nothing))
    desk.wait(for: .seconds(1))
    #expect(desk.announcer.playing?.programme == .wordsAlone)
    #expect(desk.announcer.playing?.isShortened == true)
  }

  @Test(
    "a chime without words that is late, or has failed, is skipped with the reason",
    .rule("late-chime"))
  func withoutWords() {
    #expect(desk(at: "15:59:55", .none).skipReason == .tooLateForChime)
    var desk = desk(at: "15:59:46", .none)
    #expect(desk.announcer.playing != nil)
    desk.open(for: .seconds(6))
    desk.end(.failed("gone", heard: .nothing))
    desk.wait(for: .seconds(1))
    #expect(desk.skipReason == .failed("gone"))
  }
}
