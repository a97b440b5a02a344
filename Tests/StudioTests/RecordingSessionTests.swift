import Horology
import Sound
import Studio
import Testing

/// A session that a test leads by hand, and its latest effects.
private struct Guided {
  var session: RecordingSession
  private(set) var effects: [RecordingSession.Effect] = []

  init(kept: Set<Int> = [], room: Double? = -70) {
    session = RecordingSession(
      prompts: RecordingPlan.quarters.prompts, microphone: "default", kept: kept)
    effects = session.begin()
    if let room { take(.roomHeard(room)) }
  }

  mutating func take(_ event: RecordingSession.Event) {
    effects = session.handle(event)
  }

  mutating func press(_ keys: String) {
    for byte in keys.utf8 {
      if let key = RecordingSession.Key(byte: byte) { take(.key(key)) }
    }
  }

  mutating func speak() {
    take(.phraseFit("figures"))
  }

  /// All lines that were told last.
  var told: String {
    effects.compactMap { if case .tell(let words) = $0 { words } else { nil } }
      .joined(separator: "\n")
  }

  /// The latest effects without the lines that were told.
  var deeds: [RecordingSession.Effect] {
    effects.filter { if case .tell = $0 { false } else { true } }
  }
}

@Suite struct RecordingSessionTests {
  @Test("the room is heard before the first phrase") func roomComesFirst() {
    var guided = Guided(room: nil)
    #expect(guided.deeds == [.hearRoom])
    guided.take(.roomHeard(-70))
    #expect(guided.deeds == [.hearPhrase(0)])
    #expect(guided.told.contains("quiet enough: -70 dBFS\n 1 of 14    one ... fifteen ... A M"))
  }

  @Test("a room over -55 dBFS is refused, and heard again") func noisyRoomIsRefused() {
    var guided = Guided(room: -54)
    #expect(guided.deeds == [.rest])
    #expect(guided.told.contains("too noisy: -54.0 dBFS, over -55"))
    guided.press("\r")
    #expect(guided.deeds == [.hearRoom])
    guided.take(.roomHeard(-55))
    #expect(guided.deeds == [.hearPhrase(0)])
  }

  @Test("a microphone that gives nothing is told; one that is gated may go on")
  func silentMicrophoneIsTold() {
    var guided = Guided(room: -.infinity)
    #expect(guided.told.contains("nothing comes from microphone default"))
    guided.press("a")
    #expect(guided.deeds == [.hearRoom])
    guided.take(.roomHeard(-.infinity))
    guided.press("\r")
    #expect(guided.deeds == [.hearPhrase(0)])
    guided.take(.stillNothing(loudest: -.infinity))
    #expect(guided.told.contains("no voice is heard from microphone default, not even noise"))
  }

  @Test("what is fit is kept by Enter, and not before") func fitIsKeptByEnter() {
    var guided = Guided()
    guided.speak()
    #expect(guided.deeds == [.rest])
    guided.press("\r")
    #expect(guided.deeds == [.keep(0)])
    guided.press("\rq")
    #expect(guided.effects.isEmpty && guided.session.progress == "0 of 14 phrases are recorded")
    guided.take(.takeKept)
    #expect(guided.deeds == [.hearPhrase(1)])
    #expect(guided.session.progress == "1 of 14 phrases are recorded")
  }

  @Test("what is refused is asked for again") func refusedIsAskedForAgain() {
    var guided = Guided()
    guided.take(.phraseRefused("clipped"))
    #expect(guided.told == "clipped" && guided.deeds == [.hearPhrase(0)])
    guided.press("\r")
    #expect(guided.deeds.isEmpty && guided.told.contains("nothing is recorded of it yet"))
  }

  @Test("what is fit can be played, said again, or left") func fitCanBePlayed() {
    var guided = Guided()
    guided.speak()
    guided.press("p")
    #expect(guided.deeds == [.rest, .playNew])
    guided.press("p")
    #expect(guided.deeds == [.stopPlaying])
    guided.press("p")
    guided.take(.playEnded)
    guided.press("a")
    #expect(guided.deeds == [.hearPhrase(0)])
    guided.speak()
    guided.press("p\r")
    #expect(guided.deeds == [.stopPlaying, .keep(0)])
    guided.take(.takeKept)
    guided.speak()
    guided.press("b")
    #expect(guided.deeds.isEmpty && guided.told.hasPrefix("not kept\n 1 of 14"))
  }

  @Test("a take that is looked at again can be played and replaced") func takesAreReplaced() {
    var guided = Guided(kept: [0, 1])
    #expect(guided.deeds == [.hearPhrase(2)])
    guided.press("b")
    #expect(guided.deeds == [.rest] && guided.told.contains("(recorded; a says it again)"))
    guided.press("p")
    #expect(guided.deeds == [.rest, .playKept(1)])
    guided.take(.playEnded)
    guided.press("a")
    #expect(guided.deeds == [.hearPhrase(1)])
    guided.press("n")
    #expect(guided.deeds == [.rest, .hearPhrase(2)])
    guided.press("ba")
    guided.speak()
    guided.press("\r")
    #expect(guided.deeds == [.keep(1)])
    guided.take(.takeKept)
    #expect(guided.deeds == [.hearPhrase(2)])
  }

  @Test("the last phrase makes it whole, and Enter makes the voice") func lastMakesItWhole() {
    var guided = Guided(kept: Set(0..<13))
    guided.speak()
    guided.press("\r")
    guided.take(.takeKept)
    guided.press("a")
    #expect(guided.deeds.isEmpty && guided.told.contains("all 14 phrases are recorded"))
    guided.press("\r")
    #expect(guided.deeds == [.finish(isWhole: true)])
    guided.press("\r")
    #expect(guided.effects.isEmpty)
  }

  @Test("with all recorded neither room nor microphone is needed") func wholeNeedsNoMicrophone() {
    var guided = Guided(kept: Set(0..<14), room: nil)
    #expect(guided.deeds.isEmpty)
    guided.press("b")
    #expect(guided.told.hasPrefix("14 of 14    I do not ... know the time yet"))
    guided.press("n\r")
    #expect(guided.deeds == [.finish(isWhole: true)])
  }

  @Test("q ends it from everywhere", arguments: ["", "\r", "f", "fp", "fb"])
  func quitEndsIt(keys: String) {
    var guided = Guided(kept: [3])
    for key in keys { if key == "f" { guided.speak() } else { guided.press(String(key)) } }
    guided.press("q")
    #expect(guided.deeds.last == .finish(isWhole: false))
    #expect(guided.session.progress == "1 of 14 phrases are recorded")
  }

  @Test("keys are known in either case, and help is always there") func keysAreKnown() {
    #expect(RecordingSession.Key(byte: UInt8(ascii: "A")) == .again)
    #expect(RecordingSession.Key(byte: UInt8(ascii: " ")) == .next)
    #expect(RecordingSession.Key(byte: 4) == .quit)
    #expect(RecordingSession.Key(byte: UInt8(ascii: "x")) == nil)
    #expect(RecordingSession.Key(byte: 0xFF) == nil)
    var guided = Guided()
    guided.press("h")
    #expect(guided.told == RecordingSession.help)
  }
}

@Suite struct RecordingPlanTests {
  @Test("the quarters need every word that says them") func quartersHaveEveryWord() {
    let words = Set(RecordingPlan.quarters.prompts.flatMap(\.words))
    #expect(words.count == 20)
    #expect(EnglishRules(words: words).missing.isEmpty)
    #expect(EnglishRules(words: words).sayQuarters(.twelve))
  }

  @Test("the minutes say every minute of both clocks, and go on from the quarters")
  func minutesSayEveryMinute() {
    let prompts = RecordingPlan.minutes.prompts
    let rules = EnglishRules(words: Set(prompts.flatMap(\.words)))
    for format in HourFormat.allCases {
      var grammar = Grammar()
      for rule in rules.rules(format) {
        _ = grammar.add(pattern: rule.pattern, phrase: rule.phrase)
      }
      for minute in 0..<1440 {
        #expect(grammar.phrase(hour: minute / 60, minute: minute % 60) != nil, "\(minute)")
      }
    }
    #expect(Array(prompts.prefix(14)) == RecordingPlan.quarters.prompts)
    #expect(Set(prompts.map(\.name)).count == 63)
  }

  @Test("the phrases of timers hold every word of them, and no other") func timersHaveEveryWord() {
    let prompts = RecordingPlan.timers.prompts
    let rules = EnglishRules(words: Set(prompts.flatMap(\.words)))
    #expect(rules.missingForTimers.isEmpty)
    #expect(HourFormat.allCases.allSatisfy { !rules.sayQuarters($0) })
    #expect(prompts.count == 66 && Set(prompts.map(\.name)).count == 66)
    #expect(prompts[3].text == "four ... seconds ... left")
    #expect(prompts[0].text == "one ... second ... timer")
  }
}
