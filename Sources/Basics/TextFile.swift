@preconcurrency import Glibc

/// Writes a text under another name in the same folder and renames it when it is whole, so that the
/// final name never stands for a half-written file.
/// - Parameter isSynced: true if the text must be on the disk, safe from a power cut, before this
///   returns.
/// - Throws: `Fault` if it cannot be written; then nothing of it is left.
public func writeText(
  _ text: String, to path: String, isSynced: Bool = false
) throws(Fault) {
  try writeBytes(Array(text.utf8), to: path, isSynced: isSynced)
}

/// Writes bytes as `writeText(_:to:isSynced:)` does a text.
public func writeBytes(_ bytes: [UInt8], to path: String, isSynced: Bool) throws(Fault) {
  let operation = "cannot write \(path)"
  let target = try outputPath(path)
  // A device such as /dev/null or a pipe is written to directly, unless the text must be on a disk.
  let isInPlace = !isSynced && isSpecialFile(target)
  let temporaryPath = isInPlace ? nil : "\(target).\(getpid()).text.part"
  let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
  let descriptor: Int32
  do throws(Fault) {
    // Without O_NONBLOCK it would wait forever for a pipe's reader.
    descriptor = try retryingInterrupts(operation) {
      open(temporaryPath ?? target, flags | O_NONBLOCK, 0o666)
    }
  } catch {
    guard error.code == ENXIO else { throw error }
    throw Fault(
      operation, code: ENXIO, "nobody reads what is written there; start the pipe's reader first")
  }
  _ = fcntl(descriptor, F_SETFL, flags)
  do throws(Fault) {
    do throws(Fault) {
      try write(bytes[...], to: descriptor, operation)
      if isSynced { try sync(descriptor, operation) }
    } catch {
      close(descriptor)
      throw error
    }
    // close() reports delayed write errors.
    guard close(descriptor) == 0 else { throw Fault(operation, errno: errno) }
    guard let temporaryPath else { return }
    guard rename(temporaryPath, target) == 0 else { throw Fault(operation, errno: errno) }
    if isSynced { try syncFolder(of: target) }
  } catch {
    if let temporaryPath { unlink(temporaryPath) }
    throw error
  }
}

/// Syncs the folder of a file, and so the file's name, which fsync(2) of the file does not.
private func syncFolder(of path: String) throws(Fault) {
  let slash = path.lastIndex(of: "/")
  try syncToDisk(slash.map { String(path[...$0]) } ?? ".")
}

/// Waits until a file, or the names in a folder, are on the disk, as fsync(2).
public func syncToDisk(_ path: String) throws(Fault) {
  let operation = "cannot write \(path)"
  let descriptor = try retryingInterrupts(operation) { open(path, O_RDONLY | O_CLOEXEC) }
  defer { close(descriptor) }
  try sync(descriptor, operation)
}

private func sync(_ descriptor: Int32, _ operation: String) throws(Fault) {
  try retryingInterrupts(operation) {
    let result = fsync(descriptor)
    // Some files cannot be synced, as a folder of some network file systems, and need no waiting.
    return result == -1 && errno == EINVAL ? 0 : result
  }
}

private func write(
  _ bytes: ArraySlice<UInt8>, to descriptor: Int32, _ operation: String
) throws(Fault) {
  var left = bytes
  while !left.isEmpty {
    let chunk = Array(left)
    // A signal may also end a write that has written a part.
    try refuseIfAskedToEnd(operation)
    left = left.dropFirst(
      try retryingInterrupts(operation) { Glibc.write(descriptor, chunk, chunk.count) })
  }
}
