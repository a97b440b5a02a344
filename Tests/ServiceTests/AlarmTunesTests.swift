import Basics
import Daemon
import Devices
import Foundation
import Horology
import Sound
import TestSupport
import Testing

@testable import Service

@Suite struct AlarmTunesTests {
  private let folder = TemporaryFolder()

  private func composer() throws -> Composer {
    let voice = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../sounds/voices/rms").standardized.path
    return Composer(
      voice: try VoicePack(path: voice), wording: .twelve, bells: BellRack(folders: [folder.path]))
  }

  private func alarm(_ tune: Tune) throws -> Reminder {
    var plan = AlarmPlan(
      AlarmTimes(time: try TimeOfDay(text: "07:00"), days: try AlarmDays(text: "mon-sun")))
    plan.tune = tune
    return Reminder(number: 1, .alarm(plan), state: .waiting(nil))
  }

  private func tone(_ name: String, seconds: Double = 0.1) throws {
    let samples = (0..<Int(seconds * 48_000)).map { Float(sin(Double($0) / 20)) / 4 }
    _ = try folder.write(name, samples: samples)
  }

  @Test(
    "a ring whose bell is torn rings with the signal for as long as the tune", .rule("lacks-tune"))
  func torn() throws {
    let path = "\(folder.path)/a.tune"
    try folder.write("a.tune", "[tune]\ndescription = x\n[hour]\nnotes = E3 7 E3\n")
    try tone("E3.flac")
    try tone("ring.flac")
    let voice = try composer().voice
    var composer = Composer(
      voice: voice, wording: .twelve, bells: BellRack(folders: [folder.path]),
      signals: [.ring: "\(folder.path)/ring.flac"])
    let tune = try Tune(path: path, name: path)
    try composer.add(tune)
    let cue = Cue(
      SoundingID(1), of: .alarm(1), .ring,
      blows: [Blow(bell: "E3", offset: .zero), Blow(bell: "E3", offset: .seconds(7))],
      at: SystemClock.sinceBoot + .seconds(60), mayBeLateBy: .zero, decibels: 0)
    #expect(composer.flaw(ofTuneOf: cue) == nil)
    try folder.write("E3.flac", "torn")
    #expect(composer.flaw(ofTuneOf: cue)?.description.contains("E3.flac") == true)
    let score = try composer.score(inSignalsOf: cue, rate: 48_000)
    #expect(score.parts.map(\.start) == [0, 144_000, 288_000])
    #expect(score.parts.allSatisfy { $0.label == "ring" })
  }

  @Test(
    "an alarm whose tune lacks a bell keeps no clock from starting, a chime does",
    .rule("lacks-tune"))
  func configured() throws {
    let path = "\(folder.path)/a.tune"
    try folder.write("a.tune", "[tune]\ndescription = x\n[hour]\nnotes = H4\n")
    var configuration = Configuration()
    configuration.announcer.alarms = [try alarm(try Tune(path: path, name: path)).alarm!]
    _ = try configuration.composer()
    configuration.announcer.chime = try Tune(path: path, name: path)
    #expect(throws: Fault.self) { try configuration.composer() }
  }
}
