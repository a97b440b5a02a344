import Foundry

/// All frames of a sound.
func samples(_ sound: some SynthesisedSound, blockFrames: Int = 4096) -> [Int16] {
  var sound = sound
  var samples: [Int16] = []
  let block = UnsafeMutableBufferPointer<Int16>.allocate(capacity: blockFrames)
  defer { block.deallocate() }
  while case let count = sound.render(into: block), count > 0 { samples += block[..<count] }
  return samples
}

/// FNV-1a of the bytes of samples.
func digest(_ samples: [Int16]) -> UInt64 {
  var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  for sample in samples {
    for byte in [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)] {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
  }
  return hash
}
