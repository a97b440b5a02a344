import Basics
import Foundation
import Horology
import Sound
import TestSupport
import Testing

@Suite struct MixerTests {
  private let folder = TemporaryFolder()

  @Test("sounds begin and end on their frames, and add up where they meet")
  func soundsAddUp() throws {
    let path = try folder.write("one.wav", samples: [Float](repeating: 0.25, count: 100))
    let parts = [7, 57].map { Score.Part(StoredSound(path), start: $0, frames: 100) }
    let heard = try render(Score(rate: 48_000, parts: parts, anchor: 0), blockFrames: 33)
    let lengths: [(Float, Int)] = [(0, 7), (0.25, 50), (0.5, 50), (0.25, 50)]
    #expect(heard == lengths.flatMap { [Float](repeating: $0, count: $1) })
  }

  @Test("the size of a block is not heard", arguments: [1, 7, 960, 1024, 5000])
  func blockSizeIsNotHeard(blockFrames: Int) throws {
    let one = try folder.write("one.wav", samples: sine(440, rate: 48_000, frames: 3000))
    let two = try folder.write(
      "two.wav", rate: 44_100, samples: sine(300, rate: 44_100, frames: 2000))
    let parts = [
      Score.Part(StoredSound(one), start: 11, frames: 3000, fadeOut: 500),
      Score.Part(StoredSound(two), start: 2511, frames: 2177, fadeIn: 500),
    ]
    let score = Score(rate: 48_000, parts: parts, anchor: 0)
    #expect(try render(score, blockFrames: blockFrames) == render(score, blockFrames: 4096))
  }

  @Test("a timed part is moved by the shift, and what belongs to it goes with it")
  func timedPartsAreShifted() throws {
    let path = try folder.write("one.wav", samples: [Float](repeating: 0.5, count: 100))
    let parts = [(0, true), (1000, true), (1100, false), (2000, true)].map {
      Score.Part(StoredSound(path), start: $0, frames: 100, isTimed: $1)
    }
    let mixer = Mixer(score: Score(rate: 48_000, parts: parts, anchor: 0))
    let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: 500)
    defer { block.deallocate() }
    var heard: [Float] = []
    var places: [Int] = []
    for shift in [0, 7, 7, -3, -3, -3] {
      mixer.shift = shift
      try mixer.render(into: block) { _, placed in places.append(placed) }
      heard += block
    }
    #expect(places == [0, 1007, 1997])
    let sounding = heard.indices.filter { heard[$0] != 0 }
    #expect(sounding == Array(0..<100) + Array(1007..<1207) + Array(1997..<2097))
    #expect(mixer.hasEnded)
  }

  @Test("a clip that has not changed is decoded once") func decodedOnce() throws {
    let path = try folder.write("one.wav", samples: sine(440, rate: 48_000, frames: 48_000))
    let score = Score(
      rate: 48_000, parts: [Score.Part(StoredSound(path), start: 0, frames: 48_000)], anchor: 0)
    func bytesRead(by read: () throws -> Void) throws -> Int {
      func count() throws -> Int {
        let text = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
        return try #require(Int(text.split(whereSeparator: \.isWhitespace)[1]))
      }
      let before = try count()
      try read()
      return try count() - before
    }
    #expect(try bytesRead { try score.verify() } > 96_000)
    #expect(try bytesRead { try score.verify() } < 1000)
  }
}

@Suite struct SoundFileTests {
  private let folder = TemporaryFolder()

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

  @Test("a blow that is torn leaves no file of the score") func tornBlow() throws {
    let bell = try folder.write("bell.flac", samples: sine(440, rate: 48_000, frames: 48_000))
    folder.tear("bell.flac", to: 4000)
    let score = Score(
      rate: 48_000, parts: [Score.Part(StoredSound(bell), start: 0, frames: 48_000)], anchor: 0)
    let fault = faultThrown { try score.write(to: "\(folder.path)/said.wav") }
    #expect(fault?.detail.hasPrefix("it is torn: ") == true)
    #expect(folder.files == ["bell.flac"])
  }

  @Test("a file that is not finished leaves nothing behind") func unfinishedLeavesNothing() throws {
    do {
      let writer = try SoundFileWriter(path: "\(folder.path)/half.wav", rate: 48_000)
      try [Float](repeating: 0.1, count: 480).withUnsafeBufferPointer { try writer.write($0) }
      #expect(!folder.files.contains("half.wav"))
    }
    #expect(folder.files == [])
  }
}
