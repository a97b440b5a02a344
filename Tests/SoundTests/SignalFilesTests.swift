import Horology
import TestSupport
import Testing

@testable import Sound

@Suite struct SignalFilesTests {
  @Test("the signals of this tree are found, and are sound files") func ofThisTree() throws {
    let paths = Sounds.signals()
    #expect(Set(paths.keys) == Set(Signal.allCases))
    for (signal, path) in paths {
      #expect(path.hasSuffix("/signals/\(signal.rawValue).flac"))
      let file = try SoundFile(path: path)
      #expect(file.rate == standardRate)
      let length = Duration.seconds(Double(file.frames) / Double(file.rate))
      #expect((length - signal.length).magnitude < .microseconds(1), "\(signal)")
    }
  }
}
