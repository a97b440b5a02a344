import Basics
import Horology
import Testing

@Suite struct TextTests {
  @Test(
    "a duration is a number with its unit",
    arguments: [
      ("30ms", Duration.milliseconds(30)), ("10s", .seconds(10)), ("-20ms", .milliseconds(-20)),
      ("5min", .seconds(300)), ("2h", .seconds(7200)), ("0ms", .zero), ("8h30m", .seconds(30_600)),
      ("1h30min", .seconds(5400)), ("-1s500ms", .milliseconds(-1500)), ("5m", .seconds(300)),
      ("1m5ms", .milliseconds(60_005)), ("31536000000ms", .seconds(31_536_000)),
    ])
  func duration(text: String, duration: Duration) {
    #expect(Duration(text: text) == duration)
  }

  @Test(
    "anything else is no duration",
    arguments: [
      "", "10", "s", "10 x", "1.5s", "10secc", "--1s", "-", "1s1s", "1s1h", "5ms1s",
      "8760h1ms", "99999999999999999999s", "9999h",
      "-9223372036854775808s", "9223372036854775807ms",
    ])
  func noDuration(text: String) {
    #expect(Duration(text: text) == nil)
  }

  @Test(
    "the length of a timer has whole seconds",
    arguments: [
      ("10m", 600), ("1h1m1s", 3661), ("0s", 0), ("744h", 2_678_400), ("-5m", nil), ("5ms", nil),
      ("1m1500ms", nil), ("10", nil), ("٣m", nil), ("+1m", nil), ("1m ", 60), ("1H", 3600),
    ])
  func lengthOfTimer(text: String, seconds: Int?) {
    #expect(Duration(timer: text) == seconds.map { .seconds($0) })
  }

  @Test(
    "an impossible date is refused",
    arguments: [
      "2026-02-30T10:00", "2026-13-01T10:00", "2026-00-10T10:00", "2025-02-29T10:00",
      "2026-01-01T24:00", "2026-01-01T10:60", "2026-01-01T10:00:60", "1969-12-31T23:59",
      "2201-01-01T00:00", "2026-1-1T10:00", "2026-01-01  10:00", "2026-01-01T10", "", "T",
      "2026-01-01T10:00:00Z", "+026-01-01T10:00",
    ])
  func impossibleDate(text: String) {
    #expect(CivilDateTime(text: text) == nil)
  }

  @Test("a leap day is a date") func leapDay() {
    #expect(CivilDateTime(text: "2028-02-29T23:59:59")?.description == "2028-02-29T23:59:59")
  }

  @Test(
    "a span is told in its two largest units, a length in full, and what is left to the second",
    arguments: [
      (0, "0 s", "0 s", "0 s"), (1500, "1 s", "1 s 500 ms", "2 s"),
      (60_000, "1 min", "1 min", "1 min"), (448_000, "7 min 28 s", "7 min 28 s", "7 min 28 s"),
      (11_105_000, "3 h 5 min", "3 h 5 min 5 s", "3 h 5 min 5 s"),
      (3_600_001, "1 h", "1 h 1 ms", "1 h 1 s"), (90_000_000, "1 d 1 h", "25 h", "25 h"),
    ])
  func span(milliseconds: Int, words: String, full: String, left: String) {
    let span = Duration.milliseconds(milliseconds)
    #expect((span.inWords, span.inFull, span.roundedUp) == (words, full, left))
    #expect(Duration(text: span.asWritten) == span)
  }

  @Test("never more is left than the whole length") func leftOfLength() {
    let length = Duration.milliseconds(1500)
    #expect(length.left(of: length) == "1 s 500 ms left of 1 s 500 ms")
    #expect(Duration.seconds(1).left(of: length) == "1 s left of 1 s 500 ms")
  }

  @Test("an offset shows its sign and minutes") func offset() {
    let chatham = TestZone.fixed(minutes: 765).civil(at: Instant("2026-11-21T15:15:00"))
    #expect(chatham.description == "2026-11-22T04:00:00+12:45")
    let newfoundland = TestZone.fixed(minutes: -210).civil(at: Instant("2026-11-21T15:15:00"))
    #expect(newfoundland.description == "2026-11-21T11:45:00-03:30")
  }
}

@Suite struct GrammarTests {
  @Test("the first rule that matches is spoken") func firstRule() {
    var grammar = Grammar()
    for (pattern, phrase) in [
      ("1200", "midi"), ("01**", "une heure {minute}"), ("****", "{hour24} heures {minute}"),
    ] {
      let isTaken = grammar.add(pattern: pattern, phrase: phrase)
      #expect(isTaken)
    }
    #expect(grammar.phrase(hour: 12, minute: 0) == ["midi"])
    #expect(grammar.phrase(hour: 1, minute: 7) == ["une", "heure", "7"])
    #expect(grammar.phrase(hour: 14, minute: 7) == ["14", "heures", "7"])
  }

  @Test("the part of the day is that of its first rule; without one there is no phrase")
  func thePartOfTheDay() {
    var dayParts = DayParts()
    for (pattern, name) in [("0***", "morning"), ("2***", "night")] {
      let isTaken = dayParts.add(pattern: pattern, name: name)
      #expect(isTaken)
    }
    let isTaken = dayParts.add(pattern: "1***", name: "two names")
    #expect(!isTaken)
    var grammar = Grammar()
    _ = grammar.add(pattern: "****", phrase: "{hour12} in-the-{day}")
    #expect(grammar.phrase(hour: 9, minute: 59, dayParts: dayParts) == ["9", "in-the-morning"])
    #expect(grammar.phrase(hour: 20, minute: 0, dayParts: dayParts) == ["8", "in-the-night"])
    #expect(grammar.phrase(hour: 10, minute: 0, dayParts: dayParts) == nil)
    #expect(grammar.phrase(hour: 9, minute: 59) == nil)
  }

  @Test(
    "a rule that cannot be meant is refused",
    arguments: [
      ("***", "a"), ("*****", "a"), ("12:0", "a"), ("****", ""), ("****", "{hour}"),
      ("****", "{hour12"),
      ("****", "a}"),
    ])
  func noRule(pattern: String, phrase: String) {
    var grammar = Grammar()
    let isTaken = grammar.add(pattern: pattern, phrase: phrase)
    #expect(!isTaken)
    #expect(grammar.phrase(hour: 1, minute: 1) == nil)
  }
}

@Suite struct QuietHoursTests {
  @Test(
    "what is no time of day is refused",
    arguments: [
      "22:00", "22:00-22:00", "24:00-07:00", "22:60-07:00", "foo 22:00-07:00", "mon-fri",
      "mon-tue-wed 22:00-07:00", "22:00-07:00,", "2200-0700", "mon 22:00-07:00 x",
      "22:00-07:00\u{34F}",
    ])
  func noTimeOfDay(text: String) {
    #expect(throws: TimesError.self) { try QuietHours(text: text) }
  }

  @Test(
    "quiet hours and levels are read as people type them",
    arguments: [
      "22:00–07:00", "22:00 - 07:00", "22：00−07：00", "10 PM–7 AM", "22:00:00-7:00",
      "mon-sun 22:00-07:00",
      "Monday – Sunday 22:00-07:00",
    ])
  func typed(text: String) throws {
    let quiet = try QuietHours(text: "22:00-07:00")
    #expect(try QuietHours(text: text) == quiet)
    for level in ["-12dB", "−12 dB", "-12.0DB"] {
      let rules = try VolumeRules(text: "\(text) \(level)").rules
      #expect(rules.map(\.times) == [quiet] && rules.map(\.decibels) == [-12])
    }
  }

  @Test(
    "quiet hours and levels are shown as the page reads them, however they were typed",
    arguments: [
      ("10 PM–7 AM", "22:00-07:00"), ("Monday - Friday 22:00-7:00", "mon-fri 22:00-07:00"),
      ("sat–mon 23:00-24:00,sun 0:00-8:00", "sat-mon 23:00-24:00, sun 00:00-08:00"),
      ("mon-sun 22:00-00:00", "22:00-00:00"), ("none", "none"),
    ])
  func shownPlainly(typed: String, shown: String) throws {
    #expect(try QuietHours(text: typed).text == shown)
    let levels =
      typed == "none" ? typed : typed.replacingOccurrences(of: ",", with: " -12 dB,") + " −6.0dB"
    let rules = try VolumeRules(text: levels)
    #expect(try VolumeRules(text: rules.text) == rules)
    #expect(rules.text.filter { $0 != " " }.hasSuffix(shown == "none" ? "none" : "-6dB"))
  }

  @Test(
    "a level that nobody means is refused",
    arguments: ["-6e0dB", "-0x6dB", "nandB", "dB", "-6", "- 6dB"])
  func noLevel(text: String) {
    #expect(Decibels(text: text) == nil)
  }

  @Test(
    "a length is read as people type it",
    arguments: [
      ("4 min", 240), ("1h 30m", 5400), ("1 hour 30 minutes", 5400), ("4M", 240), ("0:04:00", 240),
      ("１０m", 600), ("8\u{a0}hours", 28_800), ("90 sec", 90), ("123:00:01", 442_801),
    ])
  func length(text: String, seconds: Int) {
    #expect(Duration(timer: text) == .seconds(seconds))
  }

  @Test(
    "a length that could be two things, or none, is refused",
    arguments: [
      "4:00", "90", "1h30", "30m 1h", "1h 1h", "0:60:00", "0:4:00", "1:00:00:00", "4 m in", "",
      "min", "−5s",
      "1.5h",
    ])
  func noLength(text: String) {
    #expect(Duration(timer: text) == nil)
  }

  @Test("a digit with an accent is no digit") func accents() {
    #expect(CivilDateTime(text: "2026-11-24T15:15\u{301}") == nil)
    #expect(throws: TextFlaw.self) { try TimeOfDay(text: "15:15\u{34F}") }
    #expect(Duration(text: "15\u{301}min") == nil)
  }
}
