/// Sets a value in the settings, or returns a text that says what is allowed instead.
public typealias INIKey<Settings> = @Sendable (inout Settings, String) -> String?

extension INIFile {
  /// - Parameter known: says which sections there are, for a person who has named another.
  /// - Throws: `Fault` with file and line for the first section that is unknown, with or without
  ///   entries, and for an entry before the first section.
  public func refuseSections(
    _ known: @autoclosure () -> String, where isUnknown: (String) -> Bool
  ) throws(Fault) {
    // Entries stand in the order of their lines, and those before the first section come first.
    if let entry = entries.first, entry.line < sections.first?.line ?? .max {
      throw Fault(
        "\(path):\(entry.line)", "it stands before the first section; \(known())")
    }
    guard let section = sections.first(where: { isUnknown($0.name) }) else { return }
    throw Fault(
      "\(path):\(section.line)", "unknown section [\(section.name.excerpt)]; \(known())")
  }

  /// Sets every entry in the settings.
  /// - Parameters:
  ///   - sections: the sections there are, for a person who has named another.
  ///   - keys: the keys of a section; nil if there is no such section.
  /// - Returns: file and line of each value, by `section.key`.
  /// - Throws: `Fault` as `refuseSections` does, and with file and line for an entry that is unknown,
  ///   set twice or not allowed.
  public func fill<Settings>(
    _ settings: inout Settings, sections: String, keys: (String) -> [String: INIKey<Settings>]?
  ) throws(Fault) -> [String: String] {
    try refuseSections("there are \(sections)") { keys($0) == nil }
    var places: [String: String] = [:]
    for entry in entries {
      let place = "\(path):\(entry.line)"
      // Every section is known, because of `refuseSections`.
      let known = keys(entry.section)!
      guard let key = known[entry.key] else {
        let names = known.keys.sorted().joined(separator: ", ")
        throw Fault(
          place,
          "unknown key '\(entry.key.excerpt)' in [\(entry.section.excerpt)]; there are \(names)"
            + nearest(to: entry.key, of: known.keys.sorted()))
      }
      guard places.updateValue(place, forKey: "\(entry.section).\(entry.key)") == nil else {
        throw Fault(place, "'\(entry.key)' is set twice in this file")
      }
      if let complaint = key(&settings, entry.value) {
        // A person may write a secret itself where the path of its file is wanted. An address may
        // have a password before the @.
        let isPrivate = entry.key.hasSuffix("_file") || entry.value.utf8.contains(UInt8(ascii: "@"))
        let value = isPrivate ? "" : " = \(entry.value.excerpt)"
        throw Fault(place, "\(entry.key)\(value): \(complaint)")
      }
    }
    return places
  }
}
