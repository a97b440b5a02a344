@preconcurrency import Glibc

/// Writes a text under another name in the same folder and renames it when it is whole, so that
/// nothing half-written ever stands under the final name.
/// - Throws: `Fault` if it cannot be written; then nothing of it is left.
public func writeText(_ text: String, to path: String) throws(Fault) {
  let operation = "cannot write \(path)"
  // A device such as /dev/null or a pipe is written to as it is.
  let temporaryPath = isSpecialFile(path) ? nil : "\(path).\(getpid()).text.part"
  let descriptor = try retryingInterrupts(operation) {
    open(temporaryPath ?? path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
  }
  do throws(Fault) {
    try write(Array(text.utf8)[...], to: descriptor, operation)
    // What a disk refuses late, it refuses here.
    guard close(descriptor) == 0 else { throw Fault(operation, errno: errno) }
    guard let temporaryPath else { return }
    guard rename(temporaryPath, path) == 0 else { throw Fault(operation, errno: errno) }
  } catch {
    if let temporaryPath { unlink(temporaryPath) }
    throw error
  }
}

private func write(
  _ bytes: ArraySlice<UInt8>, to descriptor: Int32, _ operation: String
) throws(Fault) {
  var left = bytes
  while !left.isEmpty {
    let chunk = Array(left)
    do throws(Fault) {
      left = left.dropFirst(
        try retryingInterrupts(operation) { Glibc.write(descriptor, chunk, chunk.count) })
    } catch {
      close(descriptor)
      throw error
    }
  }
}

/// True of a device, a pipe or a folder: of whatever is there and is no regular file.
func isSpecialFile(_ path: String) -> Bool {
  var status = stat()
  return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
}
