@preconcurrency import Glibc

/// Opens a file for reading, only if it is a regular one. A named pipe would wait forever for a
/// writer, and a device may be anything.
/// - Parameter largest: in bytes; a larger file is refused.
/// - Returns: a descriptor that the caller closes.
public func openRegularFile(_ path: String, largest: Int = .max) throws(Fault) -> Int32 {
  // A path of 4096 bytes or more (PATH_MAX) leads nowhere, and a message quotes its beginning.
  let operation = "cannot read \(path.utf8.count < 4096 ? path : path.excerpt)"
  let descriptor = try retryingInterrupts(operation) {
    open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
  }
  var status = stat()
  fstat(descriptor, &status)
  let isRegular = status.st_mode & S_IFMT == S_IFREG
  if isRegular, status.st_size <= largest { return descriptor }
  close(descriptor)
  throw Fault(
    operation,
    isRegular
      ? "it has \(status.st_size) bytes; at most \(largest) are read" : "it is not a regular file")
}

/// All bytes of a file that `openRegularFile` opens.
public func readRegularFile(_ path: String, largest: Int = 1 << 20) throws(Fault) -> [UInt8] {
  let descriptor = try openRegularFile(path, largest: largest)
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

/// As `readNames`; empty if the folder cannot be read.
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

/// The path of a program in the folder of this one.
public func programBeside(_ name: String) -> String {
  guard let resolved = realpath("/proc/self/exe", nil) else { return name }
  defer { free(resolved) }
  let path = String(cString: resolved)
  return path[...path.lastIndex(of: "/")!] + name
}

/// Where the program's data may be: `share/clocksmith` beside its `bin` and, if it was built in a
/// source tree, the folder `name` of that tree.
/// - Parameter entry: by which the folder of the tree is known: the nearest above the program has it.
public func dataFolders(ofTree name: String, with entry: String) -> [String] {
  let parents = programBeside("").split(separator: "/").map(String.init)
  let installed = "/" + (parents.dropLast() + ["share", "clocksmith"]).joined(separator: "/")
  let folders = stride(from: parents.count, to: 0, by: -1).map { count in
    "/" + (parents.prefix(count) + [name]).joined(separator: "/")
  }
  let tree = folders.first { access("\($0)/\(entry)", F_OK) == 0 }
  return [installed] + (tree.map { [$0] } ?? [])
}
