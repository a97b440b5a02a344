import Basics
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

  private func alarm(_ tune: Tune) throws -> Alarm {
    var plan = AlarmPlan(
      AlarmTimes(time: try TimeOfDay(text: "07:00"), days: try AlarmDays(text: "mon-sun")))
    plan.tune = tune
    return Alarm(number: 1, plan, from: .person, state: .waiting(next: nil, from: nil))
  }

  @Test("a tune that lacks a bell is as one that is not there, until it has it") func bell() throws
  {
    let path = "\(folder.path)/a.tune"
    try folder.write("a.tune", "[tune]\ndescription = x\n[hour]\nnotes = H4\n")
    let tune = try Tune(path: path, name: path)
    var tunes = AlarmTunes()
    var composer = try composer()
    var told: [String] = []
    for _ in 1...2 {
      let found = try tunes.find(for: [alarm(tune)], &composer) { told.append($1.description) }
      #expect(found == [.missing(path)])
    }
    #expect(told.count == 1 && told.first?.contains("there is no bell 'H4'") == true, "\(told)")
    _ = try folder.write("H4.flac", samples: [Float](repeating: 0.1, count: 4800))
    let missing = try alarm(.missing(path))
    #expect(tunes.find(for: [missing], &composer) { told.append($1.description) } == [tune])
    #expect(try tunes.find(for: [alarm(tune)], &composer) { told.append($1.description) } == [])
    #expect(told.count == 1)
  }

  @Test("a tune whose file was mended meanwhile is read again") func mended() throws {
    let path = "\(folder.path)/a.tune"
    try folder.write("a.tune", "[tune]\ndescription = x\n[hour]\nnotes = H4\n")
    let broken = try Tune(path: path, name: path)
    _ = try folder.write("E3.flac", samples: [Float](repeating: 0.1, count: 4800))
    try folder.write("a.tune", "[tune]\ndescription = x\n[hour]\nnotes = E3\n")
    var tunes = AlarmTunes()
    var composer = try composer()
    let found = try tunes.find(for: [alarm(broken)], &composer) { _, fault in
      Issue.record("\(fault)")
    }
    #expect(found == [try Tune(path: path, name: path)])
  }
}
