@preconcurrency import Glibc

/// Writes a text under another name in the same folder and renames it when it is whole.
/// - Parameters:
///   - isSynced: true if the text must be safe from a power cut before this returns.
///   - mode: who may read it, whatever the umask; nil for what that leaves of everybody.
/// - Throws: `Fault` if it cannot be written; then nothing of it is left.
public func writeText(
  _ text: String, to path: String, isSynced: Bool = false, mode: mode_t? = nil
) throws(Fault) {
  try writeBytes(Array(text.utf8), to: path, isSynced: isSynced, mode: mode)
}

public func writeBytes(
  _ bytes: [UInt8], to path: String, isSynced: Bool, mode: mode_t? = nil
) throws(Fault) {
  let operation = "cannot write \(path)"
  let target = try outputPath(path)
  // A device such as /dev/null or a pipe is written to directly, unless the text must be on a disk.
  let isInPlace = !isSynced && isSpecialFile(target)
  let temporaryPath = isInPlace ? nil : "\(target).\(getpid()).text.part"
  guard let file = fopen(temporaryPath ?? target, "we") else {
    throw Fault(operation, errno: errno)
  }
  if let mode { fchmod(fileno(file), mode) }
  do throws(Fault) {
    let isWritten =
      fwrite(bytes, 1, bytes.count, file) == bytes.count && fflush(file) == 0
      && (!isSynced || fsync(fileno(file)) == 0)
    let code = errno
    // fclose() reports delayed write errors.
    guard fclose(file) == 0, isWritten else {
      throw Fault(operation, errno: isWritten ? errno : code)
    }
    guard let temporaryPath else { return }
    guard rename(temporaryPath, target) == 0 else { throw Fault(operation, errno: errno) }
    // fsync() of a file does not sync its name.
    if isSynced { try syncToDisk(target.lastIndex(of: "/").map { String(target[...$0]) } ?? ".") }
  } catch {
    if let temporaryPath { unlink(temporaryPath) }
    throw error
  }
}

/// Waits until a file, or the names in a folder, are on the disk, as fsync(2).
public func syncToDisk(_ path: String) throws(Fault) {
  let operation = "cannot write \(path)"
  let descriptor = try retryingInterrupts(operation) { open(path, O_RDONLY | O_CLOEXEC) }
  defer { close(descriptor) }
  try retryingInterrupts(operation) { fsync(descriptor) }
}

/// Why nothing is written under this name, with the remedy; nil if it can be tried.
public func flaw(ofOutputName name: String) -> String? {
  switch name {
  case "": "it is empty; give a name"
  case "-": "standard output is for words; give a name"
  default: nil
  }
}

/// The file to write for this name. Behind a link it is the file that the link leads to.
/// - Throws: `Fault` for no name, and for `-`, which many take for standard output.
public func outputPath(_ path: String) throws(Fault) -> String {
  if let flaw = flaw(ofOutputName: path) { throw Fault("cannot write '\(path)'", flaw) }
  // What is not a file is not replaced, and a pipe has no name.
  guard !isSpecialFile(path), let resolved = realpath(path, nil) else { return path }
  defer { free(resolved) }
  return String(cString: resolved)
}

/// True for a device, a pipe or a folder: for anything that exists and is not a regular file.
public func isSpecialFile(_ path: String) -> Bool {
  var status = stat()
  return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
}

/// Makes a folder of files, under another name until it is whole.
/// - Parameter fill: gets the path that the folder has meanwhile.
/// - Throws: `Fault` if something has that name already, or it cannot be written; then nothing of
///   it stays.
public func makeFolder(
  _ path: String, _ fill: (String) throws(Fault) -> Void
) throws(Fault) {
  let operation = "cannot make \(path)"
  guard access(path, F_OK) != 0 else {
    throw Fault(operation, "it is there already; give another --output, or remove it")
  }
  let target = "\(path).\(getpid()).part"
  guard mkdir(target, 0o777) == 0 else { throw Fault(operation, errno: errno) }
  do throws(Fault) {
    try fill(target)
    guard rename(target, path) == 0 else { throw Fault(operation, errno: errno) }
  } catch {
    for name in names(inFolder: target) { unlink("\(target)/\(name)") }
    rmdir(target)
    throw error
  }
}

/// Where a file that could not be used is kept. A person may want it back, and the one that was set
/// aside first more than later ones: nine are kept, and one more replaces the last of them.
public func placeAside(of path: String) -> String {
  let places = (1...9).map { "\(path).set-aside" + ($0 == 1 ? "" : "-\($0)") }
  return places.first { access($0, F_OK) != 0 } ?? places[8]
}

/// Renames a file that could not be used.
/// - Returns: its new path; nil if there is no such file.
/// - Throws: `Fault` if it cannot be renamed.
public func setAside(_ path: String) throws(Fault) -> String? {
  let aside = placeAside(of: path)
  guard rename(path, aside) != 0 else { return aside }
  guard errno == ENOENT else { throw Fault("cannot rename \(path)", errno: errno) }
  return nil
}
