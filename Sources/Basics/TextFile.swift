@preconcurrency import Glibc

/// Writes a text under another name in the same folder and renames it when it is whole, so that
/// nothing half-written ever stands under the final name.
/// - Parameter isSynced: true if it has to be on the disk, whatever happens to the power, before
///   this returns.
/// - Throws: `Fault` if it cannot be written; then nothing of it is left.
public func writeText(
  _ text: String, to path: String, isSynced: Bool = false
) throws(Fault) {
  try writeBytes(Array(text.utf8), to: path, isSynced: isSynced)
}

/// Writes bytes as `writeText(_:to:isSynced:)` does a text.
public func writeBytes(_ bytes: [UInt8], to path: String, isSynced: Bool) throws(Fault) {
  let operation = "cannot write \(path)"
  // A device such as /dev/null or a pipe is written to as it is, but for what has to be on a disk.
  let isInPlace = !isSynced && isSpecialFile(path)
  let temporaryPath = isInPlace ? nil : "\(path).\(getpid()).text.part"
  let descriptor = try retryingInterrupts(operation) {
    open(temporaryPath ?? path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
  }
  do throws(Fault) {
    try write(bytes[...], to: descriptor, operation)
    let synced = isSynced ? fsync(descriptor) : 0
    let code = errno
    // close() reports delayed write errors.
    guard close(descriptor) == 0 else { throw Fault(operation, errno: errno) }
    guard synced == 0 else { throw Fault(operation, errno: code) }
    guard let temporaryPath else { return }
    guard rename(temporaryPath, path) == 0 else { throw Fault(operation, errno: errno) }
    if isSynced { try syncFolder(of: path) }
  } catch {
    if let temporaryPath { unlink(temporaryPath) }
    throw error
  }
}

/// Brings the name of a file to the disk, as fsync(2) wants it.
private func syncFolder(of path: String) throws(Fault) {
  let slash = path.lastIndex(of: "/")
  try syncToDisk(slash.map { String(path[...$0]) } ?? ".")
}

/// Waits until a file, or the names in a folder, are on the disk, as fsync(2).
public func syncToDisk(_ path: String) throws(Fault) {
  let operation = "cannot write \(path)"
  let descriptor = try retryingInterrupts(operation) { open(path, O_RDONLY | O_CLOEXEC) }
  defer { close(descriptor) }
  try retryingInterrupts(operation) {
    let result = fsync(descriptor)
    // What cannot be asked to, as a folder of some network file systems, needs no waiting for.
    return result == -1 && errno == EINVAL ? 0 : result
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
public func isSpecialFile(_ path: String) -> Bool {
  var status = stat()
  return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
}
