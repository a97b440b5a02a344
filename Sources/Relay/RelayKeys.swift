import Basics

/// What the sections of relay.conf share.
enum RelayKeys {
  static let systemAuthorities = "/etc/ssl/certs"

  /// - Parameters:
  ///   - allowed: the end of a sentence.
  ///   - parse: nil for a value that is not allowed.
  static func parsed<Section, Value>(
    _ field: WritableKeyPath<Section, Value> & Sendable, _ allowed: String,
    _ parse: @escaping @Sendable (String) -> Value?
  ) -> INIKey<Section> {
    { section, text in
      guard let value = parse(text) else { return "allowed: \(allowed)" }
      section[keyPath: field] = value
      return nil
    }
  }

  static func text<Section>(
    _ field: WritableKeyPath<Section, String?> & Sendable, _ allowed: String,
    where isAllowed: @escaping @Sendable (String) -> Bool
  ) -> INIKey<Section> {
    parsed(field, "none, or \(allowed)") {
      $0 == "none" ? .some(nil) : isAllowed($0) ? .some($0) : nil
    }
  }

  /// The same for a field that always has a value.
  /// - Parameter none: what `none` stands for.
  static func text<Section>(
    _ field: WritableKeyPath<Section, String> & Sendable, none: String = "", _ allowed: String,
    where isAllowed: @escaping @Sendable (String) -> Bool
  ) -> INIKey<Section> {
    parsed(field, "none, or \(allowed)") {
      $0 == "none" ? none : isAllowed($0) ? $0 : nil
    }
  }

  static func number<Section>(
    _ field: WritableKeyPath<Section, Int?> & Sendable, _ range: ClosedRange<Int>
  ) -> INIKey<Section> {
    parsed(field, "none, or \(range.lowerBound) to \(range.upperBound)") { text in
      text == "none" ? .some(nil) : Int(text).flatMap { range.contains($0) ? .some($0) : nil }
    }
  }

  static func fullPath<Section>(
    _ field: WritableKeyPath<Section, String?> & Sendable
  ) -> INIKey<Section> {
    text(field, "the full path of a file, from / on") { $0.hasPrefix("/") }
  }

  static func authorities<Section>(
    _ field: WritableKeyPath<Section, String> & Sendable
  ) -> INIKey<Section> {
    text(field, none: systemAuthorities, "the full path of a file, from / on") {
      $0.hasPrefix("/")
    }
  }

  static func yesOrNo<Section>(
    _ field: WritableKeyPath<Section, Bool> & Sendable
  ) -> INIKey<Section> {
    parsed(field, "yes, no") { $0.isYes }
  }

  /// - Parameter place: file and line of a key, by `section.key`.
  static func checkPair(
    certificate: String?, key: String?, in section: String, _ place: (String) -> String
  ) throws(Fault) {
    guard (certificate == nil) != (key == nil) else { return }
    let (there, missing) = key == nil ? ("certificate", "key") : ("key", "certificate")
    throw Fault(
      place("\(section).\(there)"), "\(there) is set and \(missing) is not; set both or neither")
  }
}

struct RelaySection {
  /// What the section does without any key.
  var begin: (inout RelayConfiguration) -> Void = { _ in }
  let keys: [String: INIKey<RelayConfiguration>]
}

extension RelaySection {
  /// A section that need not be there.
  init<Section: Sendable>(
    _ field: WritableKeyPath<RelayConfiguration, Section?> & Sendable, _ new: Section,
    _ keys: [String: INIKey<Section>]
  ) {
    begin = { $0[keyPath: field] = $0[keyPath: field] ?? new }
    self.keys = keys.mapValues { key in
      { configuration, value in
        var section = configuration[keyPath: field] ?? new
        defer { configuration[keyPath: field] = section }
        return key(&section, value)
      }
    }
  }
}
