import Daemon
import Foundation
import Horology
import TestSupport
import Testing

@testable import Service

/// docs/dbus.md has the schema as tables.
@Suite struct DescribedBusTests {
  private let page = try! String(
    contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("docs/dbus.md"), encoding: .utf8)

  @Test("the table of requests is the schema's") func requests() {
    var rows = ""
    for form in Request.methods {
      for (index, fact) in form.facts.enumerated() {
        let method = index == 0 ? "| `\(form.method)` |" : "| |"
        let key = "`\(fact.name)`\(fact.isRequired ? ", needed" : "")"
        rows += "\(method) \(key) | \(fact.allowed) |\n"
      }
    }
    #expect(page.contains(rows), "\(rows)")
  }

  @Test("every refusal is there") func refusals() {
    for key in RefusalKey.allCases {
      let name = BusError.name(ofKey: key.rawValue).split(separator: ".").last!
      #expect(page.contains("`\(name)`"), "\(name)")
      #expect(BusError.key(ofName: BusError.name(ofKey: key.rawValue)) == key.rawValue)
    }
  }

  @Test("every property and every key of a timer, an alarm, the agenda and so on is there")
  func properties() throws {
    for property in Status.properties { #expect(page.contains("`\(property.name)`")) }
    let moment = TimedMoment(sinceBoot: .zero, shown: Instant(seconds: 1_800_000_000))
    var plan = AlarmPlan(
      name: "school", AlarmTimes(time: try TimeOfDay(text: "07:00"), days: .next))
    plan.tune = .missing("westminster")
    plan.rise = AlarmRise(over: .seconds(60))
    let states: [Reminder.State] = [.waiting(moment), .ringing(since: moment)]
    var records =
      [Reminder.State.waiting(moment), .paused(left: .seconds(1))].map {
        Reminder(
          number: 1, .timer(TimerPlan(.seconds(2), name: "tea")), state: $0
        ).shown
      }
      + [
        IntervalPlan.plain(every: .seconds(2)),
        .rounds(IntervalRounds(work: .seconds(2), count: 2)),
      ]
      .map { IntervalTimer($0, start: moment).shown }
      + states.map {
        Status.Alarm(
          alarm: Reminder(number: 1, .alarm(plan), state: $0, after: moment.shown),
          reason: "muted"
        ).record
      }
    let now = Now(instant: moment.shown, uptime: Uptime(nanoseconds: 0), sinceBoot: .zero)
    var settings = AnnouncerSettings()
    settings.quiet = try QuietHours(text: "00:00-23:59")
    settings.alarms = [plan]
    let announcer = Announcer(
      settings: settings, zone: UTCZone(), trust: .untrusted, switchState: .off, at: now)
    let agenda = AgendaPart(
      of: announcer, try Configuration().composer(), from: now.instant,
      to: now.instant + .seconds(86_400), at: now.instant)
    records += [agenda.record] + agenda.lines.map(\.record)
    records += Configuration().allSettings().map(\.record)
    for key in Set(records.flatMap { $0.fields.map(\.key) }) {
      #expect(page.contains("`\(key)`"), "\(key)")
    }
  }
}
