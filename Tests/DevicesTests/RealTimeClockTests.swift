import Basics
import Devices
import Foundation
import Horology
import Sound
import TestSupport
import Testing

/// A made-up /sys/class/rtc. The devices have numbers that no machine has, so that none of its own
/// is opened.
@Suite struct RealTimeClockTests {
  private let folder = TemporaryFolder()
  private let shown = Instant(seconds: 1_795_000_000)

  private func add(_ device: String, name: String, _ attributes: [String: String] = [:]) throws {
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/\(device)/device", withIntermediateDirectories: true)
    try folder.write("\(device)/name", "\(name)\n")
    for (attribute, text) in attributes { try folder.write("\(device)/\(attribute)", text) }
  }

  private func chosen(_ choice: RTCChoice) throws -> RealTimeClock? {
    try RealTimeClock.chosen(choice, in: folder.path)
  }

  @Test("a chip is called by its own name, a driver of one chip by the driver's, or the kernel's")
  func names() throws {
    try add("rtc901", name: "rtc-ds1307 1-0068", ["device/name": "ds3231\n"])
    try add("rtc902", name: "rpi-rtc soc:rpi_rtc")
    try add("rtc903", name: "rtc-pl031 9010000.pl031")
    let names = RealTimeClock.all(in: folder.path).map(\.name)
    #expect(names == ["ds3231", "rpi-rtc", "pl031"])
    for name in ["rpi-rtc", "rtc902"] {
      #expect(try chosen(.named(name))?.device == "rtc902")
    }
  }

  @Test("auto takes the one that set the clock, else the first by number") func auto() throws {
    #expect(try chosen(.auto) == nil)
    try add("rtc910", name: "rtc-b b", ["hctosys": "0\n"])
    try add("rtc909", name: "rtc-a a", ["hctosys": "0\n"])
    #expect(try chosen(.auto)?.device == "rtc909")
    try add("rtc911", name: "rtc-c c", ["hctosys": "1\n"])
    #expect(try chosen(.auto)?.device == "rtc911")
    #expect(try chosen(.auto)?.hasSetTheClock == true)
    #expect(try chosen(.none) == nil)
  }

  @Test("a name that none has is told with those that there are") func absentName() throws {
    let none = faultThrown { _ = try chosen(.named("ds3231")) }
    #expect(none?.description.contains("there is no RTC at all") == true)
    try add("rtc901", name: "rpi-rtc soc:rpi_rtc")
    try add("rtc902", name: "rtc-pcf85063 10-0051", ["device/name": "pcf85063a\n"])
    let fault = faultThrown { _ = try chosen(.named("ds3231")) }
    #expect(
      fault?.description
        == "rtc = ds3231: there is no such RTC; there are rpi-rtc (rtc901), pcf85063a (rtc902)")
  }

  @Test("its time is read, and that its flags cannot be is told") func reading() throws {
    try add(
      "rtc901", name: "rtc-ds1307 1-0068",
      ["device/name": "ds3231\n", "since_epoch": "1795000000\n", "hctosys": "1\n"])
    let before = SystemClock.now
    let reading = try #require(try chosen(.auto)).read()
    #expect(reading.name == "ds3231")
    #expect(reading.answer == .time(shown))
    #expect(reading.flags == nil)
    #expect(reading.moment.sinceBoot >= before.sinceBoot)
    #expect(reading.moment.sinceBoot <= SystemClock.sinceBoot)
  }

  @Test(
    "that it keeps local time is read from the third line of adjtime",
    arguments: [
      ("0.0 0 0.0\n0\nLOCAL\n", true), ("0.0 0 0.0\n0\nLOCAL", true),
      ("0.0 0 0.0\n0\nUTC\n", false),
      ("LOCAL\n", false), ("", false),
    ])
  func localTime(text: String, isLocal: Bool) throws {
    try add("rtc901", name: "rtc-ds1307 1-0068", ["since_epoch": "1795000000\n"])
    try folder.write("adjtime", text)
    let clock = try #require(try chosen(.auto))
    #expect(clock.read(adjustments: "\(folder.path)/adjtime").keepsLocalTime == isLocal)
    #expect(!clock.read(adjustments: "\(folder.path)/none").keepsLocalTime)
  }

  @Test("the Raspberry Pi 5's own tells of its battery by the voltage") func batteryVoltage() throws
  {
    try add("rtc901", name: "rpi-rtc soc:rpi_rtc", ["since_epoch": "1795000000\n"])
    let clock = try #require(try chosen(.auto))
    for (microvolts, flags) in [("2964099", []), ("1300000", .backupLow), ("0", .backupLow)]
      as [(String, RTCFlags)]
    {
      try folder.write("rtc901/battery_voltage", "\(microvolts)\n")
      #expect(clock.read().flags == flags)
    }
  }

  @Test(
    "nonsense is no crash",
    arguments: ["", "soon\n", "12.5\n", "99999999999999999999999\n", "\u{0}\u{0}\u{0}"])
  func nonsense(text: String) throws {
    try add("rtc901", name: "rtc-ds1307 1-0068", ["since_epoch": text])
    let reading = try #require(try chosen(.auto)).read()
    guard case .failed = reading.answer else {
      Issue.record("\(reading.answer)")
      return
    }
  }

  @Test(
    "a time beyond all sense is judged, and does not overflow",
    arguments: ["9223372036854775807", "-9223372036854775808", "-1", "0", "9000000001"])
  func extremes(text: String) throws {
    try add("rtc901", name: "rtc-ds1307 1-0068", ["since_epoch": "\(text)\n"])
    let clock = try #require(try chosen(.auto))
    var judge = ClockJudge()
    for _ in 0..<2 {
      let moment = SystemClock.now
      _ = judge.judge(clock.read(), kernel: SystemClock.kernel, at: moment)
      _ = judge.judge(KernelClock(maximumError: KernelClock.unbounded, timesyncd: nil), at: moment)
    }
    #expect(judge.rtc?.isValid == false)
    #expect(judge.state.trust == .untrusted)
  }

  @Test("one that is torn out is told in the kernel's words") func tornOut() throws {
    try add("rtc901", name: "rtc-ds1307 1-0068", ["since_epoch": "1795000000\n"])
    let clock = try #require(try chosen(.auto))
    try FileManager.default.removeItem(atPath: "\(folder.path)/rtc901")
    #expect(clock.read().answer == .failed("No such file or directory"))
  }
}
