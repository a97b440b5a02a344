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
    SkipReason.muted, SkipReason.switchLost, SkipReason.softwareMuted, SkipReason.busy,
    SkipReason.occasionIsNear,
  ]

  @Test("no conflict is told in the words of the command line") func conflicts() {
    for refusal in Self.refusals {
      let words = AnnouncerWords.reworded(refusal.description)
      let spoken = words.split { !$0.isLetter && $0 != "-" }
      #expect(!spoken.contains { ["clocksmith", "option"].contains($0) || $0.hasPrefix("--") })
    }
  }

  @Test("only what is known is reworded", arguments: ["", "'clocksmith", "zü 'a' shows", "choose"])
  func others(_ words: String) {
    #expect(AnnouncerWords.reworded(words) == words)
  }
}
