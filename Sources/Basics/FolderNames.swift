@preconcurrency import Glibc

/// The names of the entries of a folder, sorted; empty if it cannot be read.
public func names(inFolder path: String) -> [String] {
  (try? readNames(inFolder: path)) ?? []
}

/// The names of the entries of a folder, sorted.
/// - Throws: `Fault` if it cannot be read to its end.
public func readNames(inFolder path: String) throws(Fault) -> [String] {
  guard let directory = opendir(path) else { throw Fault("cannot read \(path)", errno: errno) }
  defer { closedir(directory) }
  var names: [String] = []
  while true {
    // readdir(3) tells an error from the end by errno alone.
    errno = 0
    guard let entry = readdir(directory) else { break }
    names.append(
      withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      })
  }
  guard errno == 0 else { throw Fault("cannot read \(path)", errno: errno) }
  return names.sorted()
}
