import Foundation
import Sound
import TestSupport
import Testing

@testable import Devices

@Suite struct MicrophoneTests {
  /// Decodes interleaved samples of two channels.
  private func decode<Sample>(_ samples: [Sample], as format: SampleFormat) -> [Float] {
    let decoder = SampleBuffer(format: format, channels: 2)
    let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: samples.count / 2)
    defer { block.deallocate() }
    block.initialize(repeating: 9)
    let count = decoder.decode(into: block) { buffer, frames in
      samples.withUnsafeBytes { buffer.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
      return frames
    }
    return Array(block[..<count])
  }

  @Test("the mean of the channels is heard, in every format") func mean() {
    #expect(decode([Float](arrayLiteral: 0.5, 0, -1, -1), as: .float32) == [0.25, -1])
    #expect(
      decode([Int16](arrayLiteral: 0, 16_384, -32_768, -32_768), as: .integer16) == [0.25, -1])
    #expect(decode([Int32](arrayLiteral: 0, 1 << 30, .min, .min), as: .integer32) == [0.25, -1])
  }

  @Test("keys are read one by one and not shown, and then all is as before")
  func keysAreRead() throws {
    var (master, slave): (Int32, Int32) = (0, 0)
    try #require(openpty(&master, &slave, nil, nil, nil) == 0)
    defer { close(master) }
    func localFlags() -> tcflag_t {
      var modes = termios()
      tcgetattr(slave, &modes)
      return modes.c_lflag & tcflag_t(ICANON | ECHO)
    }
    let before = localFlags()
    do {
      let terminal = try Terminal(descriptor: slave)
      #expect(before != 0 && localFlags() == 0)
      write(master, "a", 1)
      #expect(terminal.readKeys() == [UInt8(ascii: "a")])
      write(master, "\u{1B}[A", 3)
      #expect(terminal.readKeys() == [])
    }
    #expect(localFlags() == before)
    close(slave)
  }
}
