import Basics

/// What the sections of relay.conf share.
enum RelayKeys {
  /// The certificates of the system's authorities.
  static let systemAuthorities = "/etc/ssl/certs"

  /// `none`, or a text.
  /// - Parameter allowed: which one, as the end of a sentence.
  static func text<Section>(
    _ field: WritableKeyPath<Section, String?> & Sendable, _ allowed: String,
    where isAllowed: @escaping @Sendable (String) -> Bool
  ) -> INIKey<Section> {
    { section, value in
      guard value == "none" || isAllowed(value) else { return "allowed: none, or \(allowed)" }
      section[keyPath: field] = value == "none" ? nil : value
      return nil
    }
  }

  /// `none`, or a whole number.
  static func number<Section>(
    _ field: WritableKeyPath<Section, Int?> & Sendable, _ range: ClosedRange<Int>,
    _ what: String = ""
  ) -> INIKey<Section> {
    { section, value in
      guard value == "none" || Int(value).map(range.contains) == true else {
        return "allowed: none, or \(range.lowerBound) to \(range.upperBound)\(what)"
      }
      section[keyPath: field] = Int(value)
      return nil
    }
  }

  /// `none`, or the full path of a file.
  static func fullPath<Section>(
    _ field: WritableKeyPath<Section, String?> & Sendable
  ) -> INIKey<Section> {
    text(field, "the full path of a file, from / on") { $0.hasPrefix("/") }
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
