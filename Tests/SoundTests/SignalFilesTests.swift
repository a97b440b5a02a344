import Horology
import TestSupport
import Testing

@testable import Sound

@Suite struct SignalFilesTests {
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

  @Test("a signal that is missing is told in a sentence") func missingIsTold() {
    let fault = faultThrown { _ = try Sounds.signals(in: ["/none"]) }
    let path = "signals/\(Signal.allCases[0].rawValue).flac"
    #expect(
      fault?.description
        == "\(path): /none/\(path) is not there; install clocksmith again, or run it from where it "
        + "was built")
  }
}
