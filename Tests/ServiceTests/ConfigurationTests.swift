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
    #expect(configuration.latencyOffset == .milliseconds(-20))
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

  @Test("an empty file is the defaults") func emptyFileIsTheDefaults() throws {
    let configuration = try load("")
    #expect(try configuration.announcer == defaults)
    #expect(configuration.device == "default")
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
    for (key, value) in shown { #expect(Configuration().value(of: key) == value, "\(key)") }
    #expect(shown.count == 20)
  }

  @Test("keys of earlier versions are read and told, whatever their value") func oldKeys() throws {
    let configuration = try load(
      """
      [announce]
      late_limit = 99s
      clock = 24
      [speaker]
      latency_offset = 200ms
      [alarm school]
      quiet_hours = keep
      time = 07:00
      """)
    #expect(configuration.wording.format == .twentyFour)
    #expect(configuration.latencyOffset == .milliseconds(200))
    #expect(configuration.place(of: "speaker.delay")?.hasSuffix("test.conf:5") == true)
    #expect(configuration.announcer.alarms.count == 1)
    #expect(
      configuration.outdated.map { $0.split(separator: "/").last } == [
        "test.conf:2: 'late_limit' in [announce] has no effect any more; remove it",
        "test.conf:5: 'latency_offset' in [speaker] is now called 'delay'; write that",
        "test.conf:7: 'quiet_hours' in [alarm school] has no effect any more; remove it",
      ])
  }

  @Test("an old name beside the new one has no effect") func oldNameBesideTheNew() throws {
    let configuration = try load("[speaker]\ndelay = 2s\nlatency_offset = 1s\n")
    #expect(configuration.latencyOffset == .seconds(2))
    let told = "test.conf:3: 'latency_offset' in [speaker] has no effect any more; remove it"
    #expect(configuration.outdated.map { $0.hasSuffix(told) } == [true])
  }

  @Test(
    "what is wrong is told with its line and what is allowed",
    arguments: [
      ("[announce]\ninterval = 7", ":2: interval = 7: allowed: minutes that divide 60"),
      ("[announce]\n\nclock = 13", ":3: clock = 13: allowed: 12, 24"),
      ("[announce]\nchime = bell", ":2: chime = bell: tune 'bell': not found: allowed are "),
      ("[announce]\nat_start = yes", ":2: at_start = yes: allowed: signal, time, none"),
      ("[announce]\nat_stop = now", ":2: at_stop = now: allowed: fade, finish"),
      ("[announce]\nquiet = 22:00", ":2: quiet = 22:00: '22:00' is not a time of day"),
      ("[announce]\nvoice =", ":2: voice = : allowed: the name of a voice"),
      ("[announce]\nintervall = 1", ":2: unknown key 'intervall' in [announce]; there are at_st"),
      ("[clock]\nzone = Mars/Base", ":2: zone = Mars/Base: not in the tz database"),
      ("[clock]\ngreatest_error = 1s", ":2: greatest_error = 1s: allowed: none, or 2s to 3600s"),
      ("[speker]", ":1: unknown section [speker]; there are announce, button"),
      ("interval = 15", ":1: it stands before the first section; there are announce, "),
      ("[announce]\nclock = 12\nclock = 24", ":3: 'clock' is set twice"),
      ("[announce]\nsay_it_is = maybe", ":2: say_it_is = maybe: allowed: no, yes"),
      ("[switch]\nline =", ":2: line = : allowed: none, a line's name (GPIO17)"),
      ("[switch]\nactive = up", ":2: active = up: allowed: low, high"),
      ("[timers]\nring_limit = 5s", "5s: allowed: 10s to 3600s, as in 10s or 5min"),
      ("[switch]\nwhen_lost = go", ":2: when_lost = go: allowed: mute, sound"),
      ("[speaker]\nvolume = 3dB", ":2: volume = 3dB: allowed: -60dB to 0dB"),
      ("[speaker]\nquieter = 22:00-07:00", ":2: quieter = 22:00-07:00: '22:00-07:00' is not times"),
      ("[speaker]\nvolume = -0x6dB", ":2: volume = -0x6dB: allowed: -60dB to 0dB"),
      ("[speaker]\nquieter =", ":2: quieter = : allowed: none, or times of day"),
      ("[announce]\nquiet = 7:00-9:00", "like 22:00-07:00; a whole day is 00:00-24:00"),
      ("[timers]\ntell_left = ha lf", ":2: tell_left = ha lf: allowed: none, or half, minute"),
      ("[speaker]\nvolume = -3", ":2: volume = -3: allowed: -60dB to 0dB"),
      ("[speaker]\nvoice_volume = loud", ":2: voice_volume = loud: allowed: -60dB to 12dB"),
      ("[speaker]\nbells_volume = 13dB", ":2: bells_volume = 13dB: allowed: -60dB to 12dB"),
      ("[speaker]\nkeep_open = never", ":2: keep_open = never: allowed: always, or how long"),
      ("[speaker]\nlead_in = 5s", ":2: lead_in = 5s: allowed: 0s to 4s"),
      ("[clock]\nrtc =", ":2: rtc = : allowed: auto, none, or the name of an RTC"),
    ])
  func whatIsWrongIsTold(text: String, words: String) throws {
    let fault = faultThrown { _ = try load(text) }
    #expect(fault?.description.contains(words) == true, "\(String(describing: fault))")
  }
}
