import Basics
@preconcurrency import Glibc
import Horology

enum ConfigurationFiles {
  private static let home = "/etc/clocksmith"
  private static let mainFile = "\(home)/clocksmith.conf"
  private static let folder = "\(home)/conf.d"

  /// The main file, then the `*.conf` of the folder in the order of their names; only files that
  /// exist.
  /// - Throws: `Fault` if it is unknown which files exist: settings that cannot be read must not
  ///   turn into the defaults.
  static func all() throws(Fault) -> [String] {
    guard try isThere(home) else { return [] }
    var files = try isThere(mainFile) ? [mainFile] : []
    guard try isThere(folder) else { return files }
    let names: [String]
    do throws(Fault) {
      names = try readNames(inFolder: folder)
    } catch {
      throw withRemedy(error)
    }
    for name in names where name.hasSuffix(".conf") && !name.hasPrefix(".") {
      // Skip a file that was removed just now.
      if try isThere("\(folder)/\(name)") {
        files.append("\(folder)/\(name)")
      } else if name.contains("\u{FFFD}") {
        throw Fault("cannot read \(folder)/\(name)", "its name is not UTF-8; rename it")
      }
    }
    return files
  }

  /// The files of the folder that `all` leaves out, although they do not look like copies that were
  /// set aside, such as `my.conf~`, `my.conf.bak` or `my.conf.dpkg-old`.
  static func ignored() -> [String] {
    names(inFolder: folder).filter { name in
      let isSetAside =
        name.hasPrefix(".") || name.hasSuffix("~")
        || (strstr(name, ".conf.") != nil && !name.hasSuffix(".txt"))
      return !name.hasSuffix(".conf") && !isSetAside
    }.map { "\(folder)/\($0)" }
  }

  static func withRemedy(_ fault: Fault) -> Fault {
    let words: String
    switch fault.code {
    case EACCES:
      words = "\(fault.detail); let everyone read it with 'sudo chmod -R a+rX \(home)'"
    case ENOTDIR:
      words = "it is no folder; move it away, and put settings into \(folder)/NAME.conf"
    default: return fault
    }
    return Fault(fault.operation, code: fault.code, words)
  }

  /// - Throws: `Fault` for a link to nothing, and if it is unknown whether the path exists.
  private static func isThere(_ path: String) throws(Fault) -> Bool {
    var status = stat()
    if stat(path, &status) == 0 { return true }
    let code = errno
    let operation = "cannot read \(code == ENOTDIR ? home : path)"
    guard code == ENOENT else { throw withRemedy(Fault(operation, errno: code)) }
    guard lstat(path, &status) == 0 else { return false }
    throw Fault(operation, code: code, "it is a link to nothing; remove it, or put the file back")
  }
}

/// The folders that clocksmith.service hides from the program, by `ProtectHome=` and `PrivateTmp=`.
enum HiddenFolders {
  static let all = ["/home", "/root", "/run/user", "/tmp", "/var/tmp"]

  /// The hidden folder that holds this file or folder; nil if none does.
  static func holding(_ path: String) -> String? {
    let resolved = realpath(path, nil)
    defer { free(resolved) }
    // A hidden folder may itself be a link, so look for both names.
    let names = [path] + (resolved.map { [String(cString: $0)] } ?? [])
    return all.first { folder in
      names.contains { $0 == folder || $0.hasPrefix("\(folder)/") }
    }
  }
}

extension Configuration {
  /// The files in /etc that are not read because of their names, and what to do: a sentence each.
  public static var filesIgnored: [String] {
    ConfigurationFiles.ignored().map {
      "\($0) is not read, for its name does not end in .conf; rename it, or remove it"
    }
  }

  /// The voice and the tunes that the installed service cannot read where they are, and what to do:
  /// a sentence each.
  public var hiddenFromService: [String] {
    let keys: [(key: String, path: String?)] = [
      ("voice", voice), ("chime", announcer.chime?.name),
      ("chime_quarters", announcer.chimeQuarters?.name),
    ]
    let ofKeys = keys.compactMap { key, path in
      hidden(key, path, setAt: place(of: "announce.\(key)"))
    }
    let ofAlarms = announcer.alarms.compactMap { plan in
      hidden("tune", plan.tune?.name, setAt: "[alarm \(plan.name ?? "")]")
    }
    return ofKeys + ofAlarms
  }

  private func hidden(_ key: String, _ path: String?, setAt place: String?) -> String? {
    guard let path, path.contains("/"), let folder = HiddenFolders.holding(path) else { return nil }
    let start = place.map { "\($0): " } ?? ""
    return "\(start)\(key) = \(path): the service cannot read anything in \(folder); copy it into "
      + "/usr/local/share, say, and set that path"
  }
}
