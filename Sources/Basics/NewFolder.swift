@preconcurrency import Glibc

/// Makes a folder of files. It is filled beside its place, under another name, and renamed when it
/// is whole.
/// - Parameter fill: fills the folder; it gets the path that the folder has meanwhile.
/// - Throws: `Fault` if something has that name already, or it cannot be written; then nothing of
///   it stays, and neither does after Ctrl-C.
public func makeFolder(
  _ path: String, _ fill: (String) throws(Fault) -> Void
) throws(Fault) {
  let operation = "cannot make \(path)"
  let isThere = Fault(operation, "it is there already; give another --output, or remove it")
  var status = stat()
  guard lstat(path, &status) != 0 else { throw isThere }
  let target = "\(path).\(getpid()).part"
  try cleaningUp { () throws(Fault) in
    guard mkdir(target, 0o777) == 0 else { throw Fault(operation, errno: errno) }
    do throws(Fault) {
      try fill(target)
      try refuseIfAskedToEnd(operation)
      guard rename(target, path) == 0 else {
        // Someone may have made one meanwhile.
        let code = errno
        throw [EEXIST, ENOTEMPTY, ENOTDIR].contains(code)
          ? isThere : Fault(operation, errno: code)
      }
    } catch {
      for name in names(inFolder: target) { unlink("\(target)/\(name)") }
      rmdir(target)
      throw error
    }
  }
}
