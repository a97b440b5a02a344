import Basics
import Foundation
import Horology
import TestSupport
import Testing

@testable import Sound

@Suite struct SignalFilesTests {
  private let folder = TemporaryFolder()

  @Test("the signals of this tree are found, and are sound files") func ofThisTree() throws {
    let paths = try Sounds.signals()
    #expect(Set(paths.keys) == Set(Signal.allCases))
    for (signal, path) in paths {
      #expect(path.hasSuffix("/signals/\(signal.rawValue).flac"))
      let file = try SoundFile(path: path)
      #expect(file.rate == standardRate)
      let length = Duration.seconds(Double(file.frames) / Double(file.rate))
      #expect((length - signal.length).magnitude < .microseconds(1), "\(signal)")
    }
  }

  @Test("the first folder that has a signal gives it") func firstFolderGivesIt() throws {
    try fill("first", without: .cue)
    try fill("second")
    let folders = ["\(folder.path)/none", "\(folder.path)/first", "\(folder.path)/second"]
    let paths = try Sounds.signals(in: folders)
    #expect(paths[.work] == "\(folder.path)/first/signals/work.flac")
    #expect(paths[.cue] == "\(folder.path)/second/signals/cue.flac")
  }

  @Test("a signal that is missing is told in a sentence", arguments: Signal.allCases)
  func missingIsTold(signal: Signal) throws {
    try fill("sounds", without: signal)
    let fault = faultThrown { _ = try Sounds.signals(in: ["\(folder.path)/sounds"]) }
    #expect(
      fault?.description
        == "signals/\(signal.rawValue).flac: \(folder.path)/sounds/signals/\(signal.rawValue).flac "
        + "is not there; install clocksmith again, or run it from where it was built")
  }

  private func fill(_ name: String, without missing: Signal? = nil) throws {
    let signals = "\(folder.path)/\(name)/signals"
    try FileManager.default.createDirectory(
      atPath: signals, withIntermediateDirectories: true)
    for signal in Signal.allCases where signal != missing {
      try Data().write(to: URL(fileURLWithPath: "\(signals)/\(signal.rawValue).flac"))
    }
  }
}
