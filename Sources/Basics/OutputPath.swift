@preconcurrency import Glibc

/// Why nothing is written under this name, with the remedy; nil if it can be tried.
public func flaw(ofOutputName name: String) -> String? {
  switch name {
  case "": "it is empty; name a file"
  case "-": "standard output is for words; name a file"
  default: nil
  }
}

/// The file to write for this name. /dev/stdout and the like are links; for them it is the file
/// that they lead to, so that the file is replaced and not the link.
/// - Throws: `Fault` for no name, and for `-`, which many take for standard output.
public func outputPath(_ path: String) throws(Fault) -> String {
  if let flaw = flaw(ofOutputName: path) { throw Fault("cannot write '\(path)'", flaw) }
  guard path.hasPrefix("/dev/"), let resolved = realpath(path, nil) else { return path }
  defer { free(resolved) }
  return String(cString: resolved)
}

/// True for a device, a pipe or a folder: for anything that exists and is not a regular file.
public func isSpecialFile(_ path: String) -> Bool {
  var status = stat()
  return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
}
