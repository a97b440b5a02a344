import Basics
@preconcurrency import Glibc
import Horology

enum ConfigurationFiles {
  private static let home = "/etc/clocksmith"
  private static let mainFile = "\(home)/clocksmith.conf"
  private static let folder = "\(home)/conf.d"

  /// The main file, then the `*.conf` of the folder in the order of their names; only files that
  /// exist.
  /// - Throws: `Fault` if it is unknown which files exist.
  static func all() throws(Fault) -> [String] {
    let files = try isThere(mainFile) ? [mainFile] : []
    guard try isThere(folder) else { return files }
    let names = try readNames(inFolder: folder)
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
    guard errno == ENOENT else { throw Fault("cannot read \(path)", errno: errno) }
    return false
  }
}

extension Configuration {
  /// The folders that clocksmith.service hides from the program, by `ProtectHome=` and `PrivateTmp=`.
  private static let hiddenFolders = ["/home", "/root", "/run/user", "/tmp", "/var/tmp"]

  /// The settings with files that the installed service cannot read where they are, and what to do: a
  /// sentence each.
  public var hiddenFromService: [String] {
    allSettings().compactMap { setting in
      Self.hiddenFolders.first { setting.value.hasPrefix("\($0)/") }.map { folder in
        "\(setting.place ?? ""): \(setting.key) = \(setting.value): the service cannot read "
          + "anything in \(folder); copy it into /usr/local/share, say, and set that path"
      }
    }
  }
}
