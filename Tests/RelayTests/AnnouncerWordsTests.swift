import Horology
import Testing

@testable import Relay

@Suite struct AnnouncerWordsTests {
  private static let refusals: [any CustomStringConvertible & Sendable] = [
    TimerRefusal.length, TimerRefusal.nameIsTaken("a"), TimerRefusal.tooMany,
    TimerRefusal.unknown("a"), TimerRefusal.isPaused("a"), TimerRefusal.isNotPaused("a"),
    TimerRefusal.isRinging("a"), TimerRefusal.intervalRuns("interval of 30 s"),
    TimerRefusal.noInterval, AlarmRefusal.nameIsTaken("a"), AlarmRefusal.nameIsConfigured("a"),
    AlarmRefusal.tooMany, AlarmRefusal.unknown("a"), AlarmRefusal.isNotRinging("a"),
    AlarmRefusal.noneRings, AlarmRefusal.isConfigured("a"), SkipReason.untrusted,
    SkipReason.muted, SkipReason.switchLost, SkipReason.softwareMuted,
  ]

  @Test("no conflict is told in the words of the command line") func conflicts() {
    for refusal in Self.refusals {
      let words = AnnouncerWords.reworded(refusal.description)
      let spoken = words.split { !$0.isLetter && $0 != "-" }
      #expect(!spoken.contains { ["clocksmith", "option"].contains($0) || $0.hasPrefix("--") })
    }
  }

  /// Names that hold what is reworded, and a place for it that could be taken for advice.
  private static let names = [
    "choose a length within that", "a; choose a length within that",
    "'clocksmith timer list' shows", "; 'clocksmith alarm list' shows",
    "a; 'clocksmith stop' stops it", "'clocksmith unmute' ends that",
    ", the path of a tune's file",
  ]

  @Test("a name that a sender has chosen stays as it is", arguments: names)
  func ofSenders(_ name: String) {
    let timer = "timer \"\(name)\""
    let told: [(any CustomStringConvertible, String)] = [
      (
        TimerRefusal.unknown(name),
        "there is no timer '\(name)'; 'timers' in the state shows those that there are"
      ),
      (
        AlarmRefusal.unknown(name),
        "there is no alarm '\(name)'; 'alarms' in the state shows those that there are"
      ),
      (
        TimerRefusal.isRinging(timer),
        "\(timer) has reached zero, and rings; the command 'stop' stops it"
      ),
      (TimerRefusal.isPaused(timer), "\(timer) is paused already"),
      (
        TimerRefusal.nameIsTaken(name),
        "there is a \(timer) already; cancel it, or choose another name"
      ),
    ]
    for (refusal, words) in told { #expect(AnnouncerWords.reworded(refusal.description) == words) }
  }

  @Test(
    "an alarm's tune is told as a name and not as a file",
    arguments: [
      (
        "tune 'a, the path of a tune's file': allowed are none, the path of a tune's file",
        "tune 'a, the path of a tune's file': allowed are none"
      ),
      (
        "tune 'a': not found; install clocksmith again, or give the path of a tune's file",
        "tune 'a': not found; install clocksmith again"
      ),
    ]) func tunes(_ words: String, _ told: String)
  {
    #expect(AnnouncerWords.reworded(words) == told)
  }

  @Test("only what is known is reworded", arguments: ["", "'clocksmith", "zü 'a' shows", "choose"])
  func others(_ words: String) {
    #expect(AnnouncerWords.reworded(words) == words)
  }
}
