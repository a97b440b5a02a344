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

  @Test("a later file changes an alarm key by key, and adds others") func files() throws {
    let folder = TemporaryFolder()
    try folder.write("1.conf", "[alarm school]\ntime = 07:00\ndays = mon-fri\n")
    try folder.write("2.conf", "[alarm work]\ntime = 08:00\n[alarm school]\ntime = 06:30\n")
    var sections = ConfiguredAlarms()
    for name in ["1.conf", "2.conf"] {
      let file = try INIFile(path: "\(folder.path)/\(name)")
      for section in file.sections { try sections.begin(section, in: file.path) }
      var configuration = Configuration()
      configuration.alarmSections = sections
      for entry in file.entries {
        let key = try #require(ConfiguredAlarms.keys(of: entry.section)?[entry.key])
        #expect(key.take(&configuration, entry.value) == nil)
      }
      sections = configuration.alarmSections
    }
    let alarms = try sections.plans()
    #expect(alarms.map(\.name) == ["school", "work"])
    #expect(alarms[0].times.time == TimeOfDay(hour: 6, minute: 30))
    #expect(alarms[0].times.days.description == "mon-fri")
  }

  @Test("a hundred are taken, and not one more") func bound() throws {
    let sections = (1...101).map { "[alarm a\($0)]\ntime = 07:00\n" }
    #expect(try load(sections.prefix(100).joined()).count == 100)
    let fault = faultThrown { _ = try load(sections.joined()) }
    #expect(fault?.description.contains(":201: there are more than 100 alarms") == true)
  }

  @Test("a tune that is not there keeps no clock from starting", arguments: ["song", "/no/tune"])
  func missingTune(name: String) throws {
    #expect(try load("[alarm a]\ntime = 07:00\ntune = \(name)")[0].tune == .missing(name))
  }

  @Test("a name that is not UTF-8 is refused with its line, a comment is not") func notUTF8() throws
  {
    let folder = TemporaryFolder()
    let path = "\(folder.path)/test.conf"
    for (text, isRefused) in [("# caf\u{E9}", false), ("[alarm caf\u{E9}]\ntime = 07:00", true)] {
      try #require(text.data(using: .isoLatin1)).write(to: URL(fileURLWithPath: path))
      let fault = faultThrown { _ = try Configuration.load(path: path) }
      #expect(
        fault?.description
          == (isRefused ? "\(path):1: the line is not UTF-8; save the file as UTF-8" : nil))
    }
  }

  @Test(
    "what is wrong is told with its line and what is allowed",
    arguments: [
      ("[alarm a]\ntime = 26:00", ":2: time = 26:00: '26:00' is no time of day; write HH:MM"),
      ("[alarm a]\ntime =", ":2: time = : '' is no time of day"),
      (
        "[alarm a]\ndays = mo", ":2: days = mo: 'mo' is not a weekday (mon tue wed thu fri sat sun)"
      ),
      ("[alarm a]\ndays =", ":2: days = : '' is not a weekday"),
      ("[alarm a]\ndays = 2026-02-30", ":2: days = 2026-02-30: '2026-02-30' is not a weekday"),
      (
        "[alarm a]\ntune =",
        ":2: tune = : allowed: none, a tune's name, or the full path of its file"
      ),
      ("[alarm a]\nrise = loud", ":2: rise = loud: 'loud' is no rise; write how long it takes"),
      ("[alarm a]\nrise = 2h", ":2: rise = 2h: '2h' is no rise"),
      ("[alarm a]\nname = b", ":2: unknown key 'name' in [alarm a]; there are days, rise,"),
      ("[alarm a]\ntime = 07:00\ntime = 08:00", ":3: 'time' is set twice in this file"),
      ("[alarm a]\ntime = 07:00\n[led]\n[alarm a]", ":4: [alarm a] is there twice in this file"),
      ("[alarm a]\n[alarm  a]", ":2: [alarm a] is there twice in this file"),
      ("\n[alarm a]\ndays = mon", ":2: [alarm a] has no time; write one, as in time = 07:00"),
      ("[alarm a]", ":1: [alarm a] has no time"),
      ("[alarm]\ntime = 07:00", ":1: [alarm]: the name cannot be used: it is empty"),
      ("[alarm 7]\ntime = 07:00", ":1: [alarm 7]: the name cannot be used: it would be taken for"),
      ("[alarm a ]\ntime = 07:00", ":1: [alarm a ]: the name cannot be used: it begins or ends"),
      ("[alarm a\u{7}b]", "the name cannot be used: it has a control character"),
      ("[alarm \(String(repeating: "x", count: 41))]", ":1: [alarm xxx"),
      ("[alarm \(String(repeating: "ü", count: 41))]", "it has more than 40 characters"),
      ("[alarm \(String(repeating: "x", count: 10_000))]", ":1: the line is longer than "),
      ("[alarms a]\ntime = 07:00", ":1: unknown section [alarms a]; there are announce"),
      ("[loud]\na = 1", "timers, and alarm NAME"),
    ])
  func whatIsWrongIsTold(text: String, words: String) throws {
    let fault = faultThrown { _ = try load(text) }
    #expect(fault?.description.contains(words) == true, "\(String(describing: fault))")
  }
}
