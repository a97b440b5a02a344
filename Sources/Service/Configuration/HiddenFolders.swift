@preconcurrency import Glibc
import Horology

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
    let ofKeys = keys.compactMap { key, path in hidden(key, path, setAt: place(of: key)) }
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
