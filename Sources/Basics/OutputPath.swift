@preconcurrency import Glibc

/// Why nothing is written under this name, with the remedy; nil if it can be tried.
public func flaw(ofOutputName name: String) -> String? {
  switch name {
  case "": "it is empty; give a name"
  case "-": "standard output is for words; give a name"
  default: nil
  }
}

/// The file to write for this name. If it is a link, that is the file that it leads to, which may
/// not be there yet, so that the file is replaced and not the link.
/// - Throws: `Fault` for no name, and for `-`, which many take for standard output.
public func outputPath(_ path: String) throws(Fault) -> String {
  if let flaw = flaw(ofOutputName: path) { throw Fault("cannot write '\(path)'", flaw) }
  var target = path
  var link = [CChar](repeating: 0, count: Int(PATH_MAX))
  // As many links as the kernel follows. What is not a file is not replaced, and a pipe has no name.
  for _ in 0..<40 where !isSpecialFile(target) {
    let length = readlink(target, &link, link.count)
    guard length > 0 else { break }
    let name = String(decoding: link[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    let folder = target.lastIndex(of: "/").map { target[...$0] } ?? ""
    target = name.hasPrefix("/") ? name : folder + name
  }
  return target
}

/// True for a device, a pipe or a folder: for anything that exists and is not a regular file.
public func isSpecialFile(_ path: String) -> Bool {
  var status = stat()
  return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
}
