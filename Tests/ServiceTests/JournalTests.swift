import Basics
import Daemon
import Devices
import Foundation
import TestSupport
import Testing
import Vocabulary

@testable import Horology
@testable import Service

@Suite struct JournalTests {
  private static let catalog = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../systemd/clocksmith.catalog")
  private static let synchronised = ClockState(
    basis: .disciplined, uncertainty: .milliseconds(1))

  /// 2026-11-21T15:15:00Z.
  private let occasion = Schedule(interval: .quarter, zone: UTCZone())
    .next(after: Instant(seconds: 1_795_273_900))

  private func announcement(_ cause: Announcement.Cause) -> Announcement {
    Announcement(SoundingID(1), cause: cause, time: occasion.civil, anchor: occasion.instant)
  }

  private let timing = Timing(
    onsetError: .microseconds(-90), worstError: .microseconds(-90), underruns: 0)

  private func notice(
    _ report: Report, _ clock: ClockState = Self.synchronised
  ) throws -> Notice {
    report.notice(try Configuration().composer(), clock)
  }

  @Test("an announcement is told with its fields") func announced() throws {
    let notice = try notice(.announced(announcement(.occasion(occasion)), timing))
    #expect(
      notice.lines(identifier: "clocksmith") == [
        #"MESSAGE=said "three fifteen P M" for 15:15:00, onset -0.1 ms"#, "PRIORITY=6",
        "SYSLOG_IDENTIFIER=clocksmith", "MESSAGE_ID=a30e9985b3d3468c8e2b1d022826ff09",
        "CLOCKSMITH_EVENT=announced", "CLOCKSMITH_CAUSE=occasion", "CLOCKSMITH_CHIME=no",
        "CLOCKSMITH_LATE_USEC=0", "CLOCKSMITH_LOCAL=2026-11-21T15:15:00+00:00",
        "CLOCKSMITH_OCCASION=2026-11-21T15:15:00Z", "CLOCKSMITH_ONSET_ERROR_USEC=-90",
        "CLOCKSMITH_TEXT=three fifteen P M", "CLOCKSMITH_TRUST=synchronised",
        "CLOCKSMITH_UNDERRUNS=0", "CLOCKSMITH_WORST_ERROR_USEC=-90",
      ])
  }

  @Test("words whose chime was too late are told with that reason", .rule("silence-told"))
  func tooLateForChime() throws {
    let shortened = Announcement(
      SoundingID(1), cause: .occasion(occasion), time: occasion.civil, anchor: occasion.instant,
      isShortened: true)
    let notice = try notice(.announced(shortened, timing))
    #expect(notice.message.hasSuffix(" for 15:15:00, too late for its chime, onset -0.1 ms"))
    #expect(notice.fields["REASON"] == "too_late_for_chime")
  }

  @Test("what was skipped is told with its first and its last", .rule("silence-told"))
  func range() throws {
    let last = Schedule(interval: .quarter, zone: UTCZone()).next(after: occasion.instant)
    let notice = try notice(.skipped(from: occasion, through: last, .quietHours))
    #expect(notice.fields["OCCASION"] == "2026-11-21T15:15:00Z")
    #expect(notice.fields["OCCASION_LAST"] == "2026-11-21T15:30:00Z")
    #expect(
      notice.message.hasPrefix("skipped 2026-11-21T15:15:00+00:00 to 2026-11-21T15:30:00+00:00"))
    #expect(notice.fields["REASON"] == "quiet_hours")
  }

  @Test("a clock that is not trusted is told with the real reason", .rule("silence-told"))
  func untrusted() throws {
    let clock = ClockState(
      basis: .differs(name: "ds3231", lead: .seconds(-3600)))
    let notice = try notice(.skipped(from: occasion, through: occasion, .untrusted), clock)
    #expect(
      notice.message == "skipped 15:15:00: the clock is not trusted: it is 1 h behind the RTC "
        + "ds3231 (see 'untrusted' in the configuration)")
    #expect(notice.fields["REASON"] == "untrusted")
    #expect(notice.priority == .warning)
  }

  @Test("a day is told in one line") func day() throws {
    var tally = Tally(today: occasion.civil)
    for report: Report in [
      .announced(announcement(.occasion(occasion)), timing),
      .skipped(from: occasion, through: occasion, .quietHours),
    ] {
      _ = tally.add(report, every: .quarter)
    }
    #expect(
      tally.notice.message
        == "2026-11-21: sounded 1; skipped 1 (quiet hours 1); the largest error was -0.1 ms")
    #expect(tally.notice.fields["SKIPPED_QUIET_HOURS"] == "1")
  }

  @Test("the end of a ring that was never heard is told with the cause", .rule("never-heard"))
  func neverHeard() {
    let tea = Reminder(
      number: 1, .timer(TimerPlan(.seconds(60), name: "tea")), state: .paused(left: .zero))
    let stopped = ReminderEvent.stopped(.byHand)
    let silent = stopped.notice(of: tea, neverHeard: .failed("no card"))
    #expect(
      silent.message
        == #"timer "tea" has stopped ringing: it was stopped by hand; it was never heard: no card"#)
    #expect(silent.fields["CHANGE"] == "never_heard")
    #expect(silent.fields["DETAIL"] == "no card")
    #expect(stopped.notice(of: tea, neverHeard: nil).fields["CHANGE"] == "stopped")
  }

  @Test("an event is found again by its key") func keys() {
    #expect(JournalEvent.allCases.map(\.key).map { JournalEvent(key: $0) } == JournalEvent.allCases)
  }

  @Test("every event has an ID of its own, under which the catalog explains it") func catalogue()
    throws
  {
    let text = try String(contentsOf: Self.catalog, encoding: .utf8)
    let explained = text.split(separator: "\n").filter { $0.hasPrefix("-- ") }
      .map { String($0.dropFirst(3)) }
    #expect(explained.sorted() == JournalEvent.allCases.map(\.messageID).sorted())
    #expect(Set(explained).count == explained.count)
  }

  @Test("the catalog names only fields that the notice has") func placeholders() throws {
    let text = try String(contentsOf: Self.catalog, encoding: .utf8)
    var named: [String: Set<String>] = [:]
    for part in text.components(separatedBy: "\n-- ").dropFirst() {
      named[String(part.prefix(32))] = Set(
        part.matches(of: /@CLOCKSMITH_([A-Z_]+)@/).map { String($0.1) })
    }
    let announcement = announcement(.occasion(occasion))
    let tea = Reminder(
      number: 1, .timer(TimerPlan(.seconds(60), name: "tea")), state: .paused(left: .zero))
    let reports: [Report] = [
      .announced(announcement, timing), .cutOff(announcement, .switchOff, after: .milliseconds(20)),
      .skipped(from: occasion, through: occasion, .switchOff), .refused(.request(.busy)),
      .trust(.untrusted),
      .switched(.on), .switched(.lost("gone")), .clockSet(by: .seconds(1)),
      .slept(for: .seconds(9)),
      .retrying(occasion, "gone"),
      .reminder(tea, .set), .reminder(tea, .rings(.due(late: nil))),
      .reminder(tea, .missed),
      .reminder(tea, .unheard("gone")),
    ]
    let judged: [ClockJudge.Report] = [
      .rtcValid("ds3231"), .rtcInvalid("ds3231", .notValid), .rtcBatteryLow("ds3231"),
    ]
    let notices =
      try reports.map { try notice($0) } + judged.map(\.notice)
      + [Tally(today: occasion.civil).notice]
    for notice in notices {
      let missing = named[notice.messageID, default: []].subtracting(notice.fields.keys)
      #expect(missing.isEmpty, "\(notice.event): \(missing)")
    }
  }
}
