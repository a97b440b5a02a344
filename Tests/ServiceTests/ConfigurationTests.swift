import Basics
import Foundation
import Horology
import Sound
import TestSupport
import Testing

@testable import Service

@Suite struct ConfigurationTests {
  private func load(_ text: String) throws -> Configuration {
    let folder = TemporaryFolder()
    try folder.write("test.conf", text)
    return try Configuration.load(path: "\(folder.path)/test.conf")
  }

  @Test("every key is taken") func everyKeyIsTaken() throws {
    let configuration = try load(
      """
      [announce]
      interval = 30
      chime = none
      chime_quarters = none
      voice = /some/where
      voice_at_hour = before
      clock = 24
      style = natural
      say_it_is = yes
      quiet = mon-fri 22:00-07:00, sat-sun 23:00-09:00
      at_start = time
      at_stop = finish
      [speaker]
      device = plughw:CARD=DAC
      delay = -20ms
      volume = -3dB
      voice_volume = -1.5dB
      bells_volume = 12dB
      [switch]
      line = none
      [clock]
      rtc = ds3231
      greatest_error = 2min
      untrusted = speak
      zone = unset
      """)
    #expect(!configuration.announcer.hasZone)
    #expect(configuration.announcer.interval.minutes == 30)
    #expect(configuration.announcer.atStart == .time)
    #expect(configuration.announcer.voiceAtHour == .before)
    #expect(configuration.announcer.quiet.windows.count == 2)
    #expect(configuration.announcer.atStop == .finish)
    #expect(configuration.announcer.untrusted == .speak)
    #expect(configuration.wording.format == .twentyFour)
    #expect(configuration.wording.style == "natural")
    #expect(configuration.wording.opens)
    #expect(configuration.voice == "/some/where")
    #expect(configuration.device == "plughw:CARD=DAC")
    #expect(configuration.announcer.latencyOffset == .milliseconds(-20))
    #expect(configuration.volume == -3)
    #expect(configuration.voiceVolume == -1.5)
    #expect(configuration.bellsVolume == 12)
    #expect(configuration.rtc == .named("ds3231"))
    #expect(configuration.greatestError == .seconds(120))
  }

  private var defaults: AnnouncerSettings {
    get throws {
      var settings = AnnouncerSettings()
      settings.chime = try Sounds.tune("westminster")
      return settings
    }
  }

  private func tree(_ path: String) throws -> [Substring] {
    let tree = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../..")
    return try String(contentsOf: tree.appendingPathComponent(path), encoding: .utf8)
      .split(separator: "\n")
  }

  /// The value of each key in a file.
  private func values(_ lines: [Substring]) throws -> [String: String] {
    try load(lines.joined(separator: "\n")).written.mapValues(\.text)
  }

  @Test("the manual page has every key with its default, and no other") func manualPage() throws {
    let keys = try tree("debian/clocksmith.conf.5").compactMap { line -> Substring? in
      if line.hasPrefix(".SS [") { return line.dropFirst(4) }
      return line.hasPrefix(".B ") && line.contains(" = ") ? line.dropFirst(3) : nil
    }
    let end = try #require(keys.firstIndex(of: "[alarm NAME]"))
    let next = try #require(keys[(end + 1)...].firstIndex { $0.hasPrefix("[") })
    let page = keys[..<end] + keys[next...]
    let settings = Configuration().allSettings().map { ($0.key, $0.value) }
    #expect(try values(Array(page)) == Dictionary(uniqueKeysWithValues: settings))
    // What the page calls a default is what the clock does without a file.
    let told = try load(page.joined(separator: "\n"))
    let defaults = Configuration()
    #expect(try told.announcer == self.defaults)
    #expect(told.wording == defaults.wording)
    #expect(told.playerSettings == defaults.playerSettings)
    #expect(told.rtc == defaults.rtc)
    #expect(told.greatestError == defaults.greatestError)
    #expect(told.hasSameControls(as: defaults))
    #expect(told.soundsLike(try load("")))
    #expect((told.device, told.mixer) == (defaults.device, defaults.mixer))
  }

  @Test("the file that ships sets nothing, and shows some keys with their defaults")
  func shippedFile() throws {
    let shipped = try tree("deploy/clocksmith.conf")
    #expect(try values(shipped) == [:])
    let keys = shipped.map {
      $0.hasPrefix(";") && $0.contains(" = ") && !$0.hasPrefix("; ") ? $0.dropFirst() : $0
    }
    let shown = try values(keys)
    for (key, value) in shown {
      #expect(Configuration().allSettings(of: key).first?.value == value, "\(key)")
    }
    #expect(shown.count == 20)
  }

  @Test("a speaker of ALSA may have a slash in its name") func speakerWithSlash() throws {
    let configuration = try load("[speaker]\ndevice = tee:default,/run/heard,raw\n")
    #expect(configuration.device == "tee:default,/run/heard,raw")
  }

  @Test("the light of an alarm is a line of its own, that only a file sets") func light() throws {
    let wake = "[alarm wake]\ntime = 07:00\nlight = GPIO5\n"
    let alarms = try load(wake + "[alarm late]\ntime = 08:00\nlight = GPIO5\n")
      .announcer.alarms
    #expect(alarms.map(\.light) == ["GPIO5", "GPIO5"])
    let fault = #expect(throws: Fault.self) {
      try load(wake + "[button]\nline = GPIO5\n")
    }
    let told = "test.conf:3: light = GPIO5: [button] and [alarm wake] cannot have the same line"
    #expect(fault?.description.contains(told) == true)
    #expect(throws: Fault.self) { try load("[alarm wake]\ntime = 07:00\nlight =\n") }
    let key = try #require(Configuration.keys(of: "alarm wake")?["light"])
    #expect(key.flaw(ofSetting: "GPIO5") != nil)
  }

  @Test("the manual has every key of an alarm, and no other") func manual() throws {
    let page = try String(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("debian/clocksmith.conf.5"), encoding: .utf8)
    let section = try #require(page.components(separatedBy: ".SS [alarm NAME]\n").dropFirst().first)
    let lines = section.split(separator: "\n").prefix { !$0.hasPrefix(".S") }
    let keys = lines.compactMap {
      $0.hasPrefix(".B ") ? String($0.dropFirst(3).prefix { $0 != " " }) : nil
    }
    #expect(keys == AlarmPlan.fieldsOfSection.map(\.name))
  }

  @Test(
    "what is wrong is told with its line and what is allowed",
    arguments: [
      ("[announce]\ninterval = 7", ":2: interval = 7: allowed: minutes that divide 60"),
      ("[announce]\n\nclock = 13", ":3: clock = 13: allowed: 12, 24"),
      ("[announce]\nchime = bell", ":2: chime = bell: tune 'bell': not found: allowed are "),
      ("[announce]\nat_start = yes", ":2: at_start = yes: allowed: signal, time, none"),
      ("[announce]\nquiet = 22:00", ":2: quiet = 22:00: '22:00' is not a time of day"),
      ("[announce]\nvoice =", ":2: voice = : allowed: the name of a voice"),
      ("[announce]\nintervall = 1", ":2: unknown key 'intervall' in [announce]; there are at_st"),
      ("[clock]\nzone = Mars/Base", ":2: zone = Mars/Base: not in the tz database"),
      ("[speker]", ":1: unknown section [speker]; there are announce, button"),
      ("interval = 15", ":1: it stands before the first section; there are announce, "),
      ("[announce]\nclock = 12\nclock = 24", ":3: 'clock' is set twice"),
      ("[switch]\nline =", ":2: line = : allowed: none, a line's name (GPIO17)"),
      ("[timers]\nring_limit = 5s", "5s: allowed: 10s to 3600s, with its unit"),
      ("[speaker]\nquieter = 22:00-07:00", ":2: quieter = 22:00-07:00: '22:00-07:00' is not times"),
      ("[announce]\nquiet = 7-9:00", "like 22:00-07:00; a whole day is 00:00-24:00"),
      ("[timers]\ntell_left = ha lf", ":2: tell_left = ha lf: allowed: none, or half, minute"),
      ("[speaker]\nvolume = -61", ":2: volume = -61: allowed: -60dB to 0dB"),
      ("[speaker]\nkeep_open = never", ":2: keep_open = never: allowed: always, or how long"),
      ("[alarm a]\ntime = 26:00", ":2: time = 26:00: '26:00' is no time of day; write HH:MM"),
      ("[alarm a]\ndays = mo", ":2: days = mo: 'mo' is not a weekday (mon tue"),
      (
        "[alarm a]\ntune =",
        ":2: tune = : wants the name of a tune or the path of its file, or none"
      ),
      ("[alarm a]\nrise = loud", ":2: rise = loud: 'loud' is no rise; write how long it takes"),
      ("[alarm a]\nname = b", ":2: unknown key 'name' in [alarm a]; there are days, light, rise,"),
      ("\n[alarm a]\ndays = mon", ":2: [alarm a] has no time; write one, as in time = 07:00"),
      ("[alarm 7]\ntime = 07:00", ":1: [alarm 7]: the name cannot be used: it would be taken for"),
      ("[alarms a]\ntime = 07:00", ":1: unknown section [alarms a]; there are announce"),
      (
        (1...101).map { "[alarm a\($0)]\ntime = 07:00\n" }.joined(),
        ":201: there are more than 100 alarms"
      ),
    ])
  func whatIsWrongIsTold(text: String, words: String) throws {
    let fault = faultThrown { _ = try load(text) }
    #expect(fault?.description.contains(words) == true, "\(String(describing: fault))")
  }

  @Test("the alarms of the file are taken, each with its name") func alarms() throws {
    let alarms = try load(
      """
      [alarm school]
      time = 07:00
      days = mon-wed, fri
      tune = whittington
      rise = -30dB 5min
      [alarm Großmutter's pill]
      time = 18:30
      """
    ).announcer.alarms
    var school = AlarmPlan(
      name: "school",
      AlarmTimes(time: try TimeOfDay(text: "07:00"), days: try AlarmDays(text: "mon-wed, fri")))
    school.tune = try Sounds.tune("whittington")
    school.rise = AlarmRise(from: -30, over: .seconds(300))
    let pill = AlarmPlan(
      name: "Großmutter's pill",
      AlarmTimes(time: try TimeOfDay(text: "18:30"), days: try AlarmDays(text: "mon-sun")))
    #expect(alarms == [school, pill])
  }

  @Test("a file that the service cannot read where it is is told, with what to do")
  func hidden() throws {
    let home = "/home"
    let text = "[announce]\nvoice = \(home)/me/mine\n[alarm a]\ntime = 07:00\ntune = /tmp/a\n"
    let told = try load(text).hiddenFromService.map { $0.split(separator: "/test.conf").last }
    let remedy = "copy it into /usr/local/share, say, and set that path"
    let why = "the service cannot read anything in"
    #expect(
      told == [
        ":2: announce.voice = \(home)/me/mine: \(why) \(home); \(remedy)",
        ":5: alarm a.tune = /tmp/a: \(why) /tmp; \(remedy)",
      ])
    let unit = try tree("systemd/clocksmith.service")
    #expect(unit.contains("ProtectHome=yes") && unit.contains("PrivateTmp=yes"))
  }
}
