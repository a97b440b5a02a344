import Basics
@preconcurrency import Glibc
import Horology

enum ConfigurationFiles {
  private static let home = "/etc/clocksmith"
  private static let mainFile = "\(home)/clocksmith.conf"
  private static let folder = "\(home)/conf.d"

  /// The main file, then the `*.conf` of the folder in the order of their names; only files that
  /// exist, and one that is to be written, the last one unless it is in the folder.
  /// - Throws: `Fault` if it is unknown which files exist.
  static func all(with other: String?) throws(Fault) -> [String] {
    let files = try isThere(mainFile) ? [mainFile] : []
    let names = try isThere(folder) ? readNames(inFolder: folder) : []
    let parts = names.filter { $0.hasSuffix(".conf") && !$0.hasPrefix(".") }
      .map { "\(folder)/\($0)" }
    guard let other, !parts.contains(other) else { return files + parts }
    return files + (other.hasPrefix("\(folder)/") ? (parts + [other]).sorted() : parts + [other])
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
