import Basics
import Foundation
import Horology
import TestSupport
import Testing

@testable import Service

@Suite struct ConfiguredAlarmsTests {
  private func load(_ text: String) throws -> [AlarmPlan] {
    let folder = TemporaryFolder()
    try folder.write("test.conf", text)
    return try Configuration.load(path: "\(folder.path)/test.conf").announcer.alarms
  }

  @Test("every key is taken") func everyKey() throws {
    let alarms = try load(
      """
      [alarm school]
      time = 07:00
      days = mon-wed, fri
      tune = whittington
      rise = -30dB 5min
      [announce]
      interval = 30
      [alarm Großmutter's pill]
      time = 18:30
      """)
    try #require(alarms.count == 2)
    #expect(alarms[0].name == "school")
    #expect(alarms[0].times.time == TimeOfDay(hour: 7, minute: 0))
    #expect(alarms[0].times.days == .weekly([.monday, .tuesday, .wednesday, .friday]))
    #expect(alarms[0].tune?.name == "whittington")
    #expect(alarms[0].rise == AlarmRise(from: -30, over: .seconds(300)))
    // The defaults: every day, with the timers' signal, without a rise.
    let time = try #require(TimeOfDay(hour: 18, minute: 30))
    let plain = AlarmPlan(
      name: "Großmutter's pill", AlarmTimes(time: time, days: .weekly(Set(Weekday.allCases))))
    #expect(alarms[1] == plain)
  }

  @Test("a hundred are taken, and not one more") func bound() throws {
    let sections = (1...101).map { "[alarm a\($0)]\ntime = 07:00\n" }
    #expect(try load(sections.prefix(100).joined()).count == 100)
    let fault = faultThrown { _ = try load(sections.joined()) }
    #expect(fault?.description.contains(":201: there are more than 100 alarms") == true)
  }

  @Test(
    "what is wrong is told with its line and what is allowed",
    arguments: [
      ("[alarm a]\ntime = 26:00", ":2: time = 26:00: '26:00' is no time of day; write HH:MM"),
      ("[alarm a]\ntime =", ":2: time = : '' is no time of day"),
      (
        "[alarm a]\ndays = mo", ":2: days = mo: 'mo' is not a weekday (mon tue wed thu fri sat sun)"
      ),
      (
        "[alarm a]\ntune =",
        ":2: tune = : allowed: none, a tune's name, or the full path of its file"
      ),
      ("[alarm a]\nrise = loud", ":2: rise = loud: 'loud' is no rise; write how long it takes"),
      ("[alarm a]\nname = b", ":2: unknown key 'name' in [alarm a]; there are days, rise,"),
      ("[alarm a]\ntime = 07:00\ntime = 08:00", ":3: 'time' is set twice in this file"),
      ("\n[alarm a]\ndays = mon", ":2: [alarm a] has no time; write one, as in time = 07:00"),
      ("[alarm]\ntime = 07:00", ":1: [alarm]: the name cannot be used: it is empty"),
      ("[alarm 7]\ntime = 07:00", ":1: [alarm 7]: the name cannot be used: it would be taken for"),
      ("[alarm a ]\ntime = 07:00", ":1: [alarm a ]: the name cannot be used: it begins or ends"),
      ("[alarm a\u{7}b]", "the name cannot be used: it has a control character"),
      ("[alarm \(String(repeating: "ü", count: 41))]", "it has more than 40 characters"),
      ("[alarms a]\ntime = 07:00", ":1: unknown section [alarms a]; there are announce"),
    ])
  func whatIsWrongIsTold(text: String, words: String) throws {
    let fault = faultThrown { _ = try load(text) }
    #expect(fault?.description.contains(words) == true, "\(String(describing: fault))")
  }
}
