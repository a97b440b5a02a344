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
    let files = try isThere(mainFile) ? [mainFile] : []
    guard try isThere(folder) else { return files }
    let names: [String]
    do throws(Fault) {
      names = try readNames(inFolder: folder)
    } catch {
      throw withRemedy(error)
    }
    return files
      + names.filter { $0.hasSuffix(".conf") && !$0.hasPrefix(".") }.map { "\(folder)/\($0)" }
  }

  static func withRemedy(_ fault: Fault) -> Fault {
    guard fault.code == EACCES else { return fault }
    return Fault(
      fault.operation, code: fault.code,
      "\(fault.detail); let everyone read it with 'sudo chmod -R a+rX \(home)'")
  }

  /// True for a link to nothing, too, which cannot be read.
  private static func isThere(_ path: String) throws(Fault) -> Bool {
    var status = stat()
    if lstat(path, &status) == 0 { return true }
    guard errno == ENOENT else { throw withRemedy(Fault("cannot read \(path)", errno: errno)) }
    return false
  }
}

/// The folders that clocksmith.service hides from the program, by `ProtectHome=` and `PrivateTmp=`.
enum HiddenFolders {
  static let all = ["/home", "/root", "/run/user", "/tmp", "/var/tmp"]

  /// The hidden folder that holds this file or folder; nil if none does.
  static func holding(_ path: String) -> String? {
    all.first { path == $0 || path.hasPrefix("\($0)/") }
  }
}

extension Configuration {
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
