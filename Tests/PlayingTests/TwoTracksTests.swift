import Basics
import Devices
import Foundation
import Horology
import Service
import TestSupport
import Testing

@testable import Playing
@testable import Sound

/// A cue over a chime, played and recorded.
@Suite struct TwoTracksTests {
  private static let rate = 48_000
  /// The file has 16 bits.
  private static let precision: Float = 3 / 32_768
  private let folder = TemporaryFolder()

  private func score(_ name: String, _ samples: [Float]) throws -> Score {
    let path = try folder.write(name, rate: Self.rate, samples: samples)
    let part = Score.Part(path: path, start: 0, frames: samples.count, isTimed: true)
    return Score(rate: Self.rate, parts: [part], anchor: 0)
  }

  private func recorded() throws -> [Float] {
    let file = try SoundFile(path: "\(folder.path)/both.wav")
    let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: file.frames)
    defer { block.deallocate() }
    _ = try file.read(into: block)
    return Array(block)
  }

  @Test("a cue sounds on its frame over a chime, which is turned down and faded away under it")
  func cueOverChime() throws {
    let chime = (0..<120_000).map { 0.3 * cosf(Float($0 % 96) / 96 * 2 * .pi) }
    let cue = (0..<24_000).map { Float(($0 * 31) % 997) / 4_096 - 0.12 }
    let loop = VirtualLoop()
    let player = Player(in: loop) { [folder] in
      try! WAVSink(path: "\(folder.path)/both.wav", uptime: { loop.uptime })
    }
    var ends: [SoundingID: Outcome] = [:]
    player.ended = {
      ends[$0] = $1
      if ends.count == 2 { loop.exit() }
    }
    let now = loop.now
    let (chimeScore, cueScore) = (try score("chime.wav", chime), try score("cue.wav", cue))
    try player.play(SoundingID(1), anchoredAt: .utc(now.instant + .milliseconds(500))) {
      _ throws(Fault) in chimeScore
    }
    try player.play(
      SoundingID(2), anchoredAt: .elapsed(now.sinceBoot + .milliseconds(1_500)), ducking: .whole
    ) { _ throws(Fault) in cueScore }
    var stoppedAt = now.sinceBoot
    let stop = loop.after(.milliseconds(1_700)) {
      stoppedAt = loop.now.sinceBoot
      player.stop([SoundingID(1)], .muted)
    }
    try loop.run()
    _ = stop
    guard case .stopped(.muted, _?)? = ends[SoundingID(1)],
      case .finished(let timing)? = ends[SoundingID(2)]
    else {
      Issue.record("\(ends)")
      return
    }
    #expect(try #require(timing.onsetError).magnitude < .milliseconds(1))
    let heard = try recorded()
    let start = try #require(heard.firstIndex { $0 != 0 })
    // Alone, the chime is unchanged. From the cue's first frame on it is turned down, to -12 dB.
    let onset = start + Self.rate
    let alone = zip(heard[start..<onset], chime).map { abs($0 - $1) }
    #expect(alone.count == Self.rate && alone.max()! < Self.precision)
    let under = (0..<24_000).map { heard[onset + $0] - cue[$0] }
    #expect(abs(under[0] - chime[Self.rate]) < 0.001)
    let ducked = (960..<10_000).map { abs(under[$0] - 0.251_188_6 * chime[Self.rate + $0]) }
    #expect(ducked.max()! < Self.precision)
    // The stopped chime is silent within 30 ms, without a step.
    let silent = try #require(under.lastIndex { abs($0) > Self.precision })
    let stopped = Int((stoppedAt - now.sinceBoot - .milliseconds(1_500)).inSeconds * 48_000)
    #expect((stopped..<stopped + 1_440).contains(silent))
    let steps = zip(under[960...], under[961...]).map { abs($1 - $0) }
    #expect(steps.max()! < 0.006)
    // The cue goes on to its last frame as if it were alone.
    #expect(abs(heard[onset + 23_999] - cue[23_999]) < Self.precision)
    #expect(heard[(onset + 24_000)...].allSatisfy { $0 == 0 })
  }
}
