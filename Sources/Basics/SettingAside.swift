@preconcurrency import Glibc

/// How many files of one name that could not be used are kept. One more replaces the last of them.
private let mostSetAside = 9

/// The name under which a file that could not be used is kept: the first that is free, because the
/// file that was set aside first may be the one that a person wants back.
public func pathAside(of path: String) -> String {
  let paths = (1...mostSetAside).map { "\(path).set-aside" + ($0 == 1 ? "" : "-\($0)") }
  let free = paths.first { candidate in
    var status = stat()
    return lstat(candidate, &status) != 0
  }
  return free ?? paths[paths.count - 1]
}

/// Renames a file that could not be used. A person may want it back.
/// - Returns: its new path; nil if there is no such file.
/// - Throws: `Fault` if it cannot be renamed.
public func setAside(_ path: String) throws(Fault) -> String? {
  let aside = pathAside(of: path)
  guard rename(path, aside) != 0 else { return aside }
  guard errno == ENOENT else { throw Fault("cannot rename \(path)", errno: errno) }
  return nil
}
