@preconcurrency import Glibc

/// Takes a value into the settings, or says what is allowed instead.
public typealias INIKey<Settings> = @Sendable (inout Settings, String) -> String?

extension INIFile {
  /// Takes every entry into the settings.
  /// - Parameters:
  ///   - sections: those that there are, for a person who has named another.
  ///   - keys: of a section; nil if there is no such section.
  /// - Returns: file and line of each value, by `section.key`.
  /// - Throws: `Fault` with file and line for what is unknown, set twice or not allowed.
  public func fill<Settings>(
    _ settings: inout Settings, sections: String, keys: (String) -> [String: INIKey<Settings>]?
  ) throws(Fault) -> [String: String] {
    var places: [String: String] = [:]
    for entry in entries {
      let place = "\(path):\(entry.line)"
      guard let known = keys(entry.section) else {
        throw Fault(place, "unknown section [\(entry.section)]; there are \(sections)")
      }
      guard let key = known[entry.key] else {
        let names = known.keys.sorted().joined(separator: ", ")
        throw Fault(place, "unknown key '\(entry.key)' in [\(entry.section)]; there are \(names)")
      }
      guard places.updateValue(place, forKey: "\(entry.section).\(entry.key)") == nil else {
        throw Fault(place, "'\(entry.key)' is set twice in this file")
      }
      if let complaint = key(&settings, entry.value) {
        // A file that is wrong is named by what is said of it.
        // By glibc's search: Swift's brings two megabytes of regular expressions with it.
        let isNamed = entry.value.contains("/") && strstr(complaint, entry.value) != nil
        throw Fault(
          place, "\(entry.key)\(isNamed ? "" : " = \(entry.value.excerpt)"): \(complaint)")
      }
    }
    return places
  }
}
