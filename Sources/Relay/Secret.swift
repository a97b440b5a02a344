import Basics
@preconcurrency import Glibc

/// What nobody else is to know: passwords, keys and tokens, each in a file of its own.
enum Secret {
  private static let longest = 16_384

  /// From where systemd takes what it hands over: there it is looked for where no systemd hands over.
  private static let store = "/etc/credstore/clocksmith-relay."

  /// Reads the file that is set, or else the credential that systemd hands over (`LoadCredential=`).
  /// - Returns: nil if there is neither.
  /// - Throws: `Fault` if it is there and cannot be read, or is empty.
  static func text(file: String?, credential: String) throws(Fault) -> String? {
    let path: String
    if let file {
      path = file
    } else {
      let folder = getenv("CREDENTIALS_DIRECTORY").map { "\(String(cString: $0))/" }
      path = (folder ?? store) + credential
      guard access(path, F_OK) == 0 else {
        if errno == EACCES { throw Fault("cannot read \(path)", errno: EACCES) }
        return nil
      }
    }
    let descriptor = try openRegularFile(path, largest: longest)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: longest)
    let count = try retryingInterrupts("cannot read \(path)") {
      read(descriptor, &bytes, bytes.count)
    }
    guard count > 0, !bytes[..<count].contains(0) else { throw Fault(path, "it holds no secret") }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// A secret of one line.
  static func line(file: String?, credential: String) throws(Fault) -> String? {
    guard let text = try text(file: file, credential: credential) else { return nil }
    // Editors and echo(1) end it with a line feed that is no part of it.
    let line = text.utf8.last == UInt8(ascii: "\n") ? String(text.dropLast()) : text
    guard !line.isEmpty, !line.utf8.contains(UInt8(ascii: "\n")) else {
      throw Fault(file ?? "the credential \(credential)", "it is no secret: one line is wanted")
    }
    return line
  }
}

/// - Throws: `Fault` if a file or a folder is not there or cannot be read.
func checkReadable(_ path: String) throws(Fault) {
  guard access(path, R_OK) == 0 else { throw Fault("cannot read \(path)", errno: errno) }
}
