import Basics
@preconcurrency import Glibc

/// Passwords, keys and tokens that nobody else may know, each in a file of its own.
enum Secret {
  private static let longest = 16_384

  /// The place from which systemd takes credentials, for a program that systemd has not started.
  private static let store = "/etc/credstore/clocksmith-relay."

  /// Reads the configured file, or else systemd's credential (`LoadCredential=`); nil if there is
  /// neither.
  static func text(file: String?, credential: String) throws(Fault) -> String? {
    let folder = getenv("CREDENTIALS_DIRECTORY").map { "\(String(cString: $0))/" } ?? store
    let path = file ?? folder + credential
    if file == nil, access(path, F_OK) != 0, errno != EACCES { return nil }
    let bytes = try readRegularFile(path, largest: longest)
    guard !bytes.isEmpty, !bytes.contains(0) else { throw Fault(path, "it holds no secret") }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func line(file: String?, credential: String) throws(Fault) -> String? {
    guard let text = try text(file: file, credential: credential) else { return nil }
    // Editors and echo(1) end it with a line feed that is not part of it.
    let line = text.utf8.last == UInt8(ascii: "\n") ? String(text.dropLast()) : text
    guard !line.isEmpty, !line.utf8.contains(UInt8(ascii: "\n")) else {
      throw Fault(file ?? "the credential \(credential)", "it is no secret: one line is wanted")
    }
    return line
  }

  /// - Parameters:
  ///   - owner: who needs it, as in `[http]`.
  ///   - form: what is wanted, as a sentence.
  static func needed<Meaning>(
    by owner: String, _ what: String, file: String?, credential: String, form: String,
    _ parse: (String) -> Meaning?
  ) throws(Fault) -> Meaning {
    guard let text = try line(file: file, credential: credential) else {
      throw Fault(
        "\(owner) has no \(what)", "set \(what)_file, or put it into \(store)\(credential)")
    }
    guard let meaning = parse(text) else {
      throw Fault(file ?? "the credential \(credential)", "it is no \(what): \(form)")
    }
    return meaning
  }
}

func checkReadable(_ path: String) throws(Fault) {
  guard access(path, R_OK) == 0 else { throw Fault("cannot read \(path)", errno: errno) }
}
