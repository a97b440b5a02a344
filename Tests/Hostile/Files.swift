import Basics
@preconcurrency import Glibc
import Sound

func file(_ name: String, _ bytes: [UInt8], _ folder: String) -> String {
  let path = "\(folder)/\(name)"
  write(bytes, to: path)
  return path
}

/// A folder with one clip, and the bytes as its `voice.conf`.
func voiceFolder(_ bytes: [UInt8], in folder: String) -> String {
  let clip = "\(folder)/number-1.wav"
  if access(clip, F_OK) != 0 {
    let samples = [Float](repeating: 0.1, count: 4800)
    do throws(Fault) {
      let writer = try SoundFileWriter(path: clip, rate: standardRate)
      try samples.withUnsafeBufferPointer { block throws(Fault) in try writer.write(block) }
      try writer.finish()
    } catch {
      fatalError("\(error)")
    }
  }
  write(bytes, to: "\(folder)/voice.conf")
  return folder
}

private func write(_ bytes: [UInt8], to path: String) {
  do throws(Fault) {
    try writeBytes(bytes, to: path, isSynced: false)
  } catch {
    fatalError("\(error)")
  }
}
