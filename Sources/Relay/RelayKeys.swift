import Basics

/// What the sections of relay.conf share.
enum RelayKeys {
  /// The certificates of the system's authorities.
  static let systemAuthorities = "/etc/ssl/certs"

  /// `none`, or the full path of a file.
  static func fullPath<Section>(
    _ field: WritableKeyPath<Section, String?> & Sendable
  ) -> INIKey<Section> {
    { section, value in
      guard value == "none" || value.hasPrefix("/") else {
        return "allowed: none, or the full path of a file, from / on"
      }
      section[keyPath: field] = value == "none" ? nil : value
      return nil
    }
  }

  static func yesOrNo<Section>(
    _ field: WritableKeyPath<Section, Bool> & Sendable
  ) -> INIKey<Section> {
    { section, value in
      guard value == "yes" || value == "no" else { return "allowed: yes, no" }
      section[keyPath: field] = value == "yes"
      return nil
    }
  }

  /// - Parameter place: file and line of a key, by `section.key`.
  /// - Throws: `Fault` if only one of `certificate` and `key` is set.
  static func checkPair(
    certificate: String?, key: String?, in section: String, _ place: (String) -> String
  ) throws(Fault) {
    guard (certificate == nil) != (key == nil) else { return }
    let (there, missing) = key == nil ? ("certificate", "key") : ("key", "certificate")
    throw Fault(
      place("\(section).\(there)"), "\(there) is set and \(missing) is not; set both or neither")
  }
}
