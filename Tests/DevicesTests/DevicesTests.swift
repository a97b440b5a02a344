import Basics
import Foundation
import Horology
import TestSupport
import Testing

@testable import Devices

/// glibc knows one zone at a time, so these take turns.
@Suite(.serialized) struct SystemZoneTests {
  @Test(
    "what is shown leads back to its instant", arguments: ["Asia/Kathmandu", "Australia/Lord_Howe"])
  func shownLeadsBack(name: String) throws {
    let zone = try SystemZone(name: name)
    for second in stride(from: Int64(1_767_225_600), to: 1_798_761_600, by: 86_399) {
      let instant = Instant(seconds: second)
      #expect(zone.instants(of: zone.civil(at: instant).dateTime).contains(instant))
    }
  }
}

@Suite struct SpeakerTests {
  /// Encodes for two channels.
  private func encode<Sample>(
    _ samples: [Float], _ format: SampleFormat, as type: Sample.Type
  ) -> [Sample] {
    samples.withUnsafeBufferPointer { frames in
      SampleBuffer(format: format, channels: 2).encode(frames) { bytes, count in
        Array(
          UnsafeBufferPointer(start: bytes.assumingMemoryBound(to: Sample.self), count: count * 2))
      }
    }
  }

  @Test("each channel gets the same, and what is beyond full scale is held there") func fullScale()
  {
    let samples: [Float] = [0.5, 1, -2]
    #expect(
      encode(samples, .integer16, as: Int16.self)
        == [16_384, 16_384, 32_767, 32_767, -32_767, -32_767])
    let (half, full) = (Int32(1 << 30), Int32.max)
    #expect(
      encode(samples, .integer32, as: Int32.self) == [half, half, full, full, -full, -full])
    #expect(encode(samples, .float32, as: Float.self) == [0.5, 0.5, 1, 1, -1, -1])
  }
}
