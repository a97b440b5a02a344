import Basics
@preconcurrency import Glibc

/// All bytes of a file of at most 1 MiB.
public func readSmallFile(_ path: String) throws(Fault) -> [UInt8] {
  let descriptor = try openRegularFile(path, largest: 1 << 20)
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var block = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = try retryingInterrupts("cannot read \(path)") {
      read(descriptor, &block, block.count)
    }
    if count == 0 { return bytes }
    bytes += block[..<count]
  }
}
