import Basics
@preconcurrency import Glibc
import Horology

/// A zone of the tz database, read by glibc. It knows one zone at a time, so making a `SystemZone` makes
/// it the zone of the process.
public struct SystemZone: Zone {
  public let name: String

  /// The system's zone. The file is replaced to change it.
  public static let localtime = "/etc/localtime"

  /// `TZ` as this program was started with; nil without it.
  public static let variable = getenv("TZ").map { String(cString: $0) }

  /// The zone that `TZ` named at the start, otherwise the system's; UTC if the system has none.
  /// - Throws: `Fault` if it cannot be used; glibc would silently take UTC.
  public static func current() throws(Fault) -> SystemZone {
    restoreVariable()
    if let value = variable {
      let name = value.hasPrefix(":") ? String(value.dropFirst()) : value
      if name.isEmpty { return SystemZone(loaded: "UTC") }
      let found = try current(name: name, origin: "TZ=\(value.excerpt)")
      if found != name { setVariable(":\(found)") }
      return SystemZone(loaded: found)
    }
    var status = stat()
    if lstat(localtime, &status) == -1 && errno == ENOENT { return SystemZone(loaded: "UTC") }
    if let flaw = flaw(of: localtime) {
      throw Fault(localtime, "\(flaw); 'timedatectl set-timezone' sets another")
    }
    return SystemZone(loaded: nameBehindLocaltime ?? localtime)
  }

  /// The zone of that name in the tz database, as in `Europe/London`.
  public init(name: String) throws(Fault) {
    let found = try Self.current(name: name)
    Self.setVariable(":\(found)")
    self.init(loaded: found)
  }

  private static func setVariable(_ zone: String) {
    // Read it before it is changed.
    _ = variable
    setenv("TZ", zone, 1)
  }

  private static func restoreVariable() {
    if let variable { setenv("TZ", variable, 1) } else { unsetenv("TZ") }
  }

  /// The name of a zone, or for an old name that is not there what it is called today.
  /// - Throws: `Fault` if there is no zone of that name in the tz database.
  public static func current(name: String, origin: String? = nil) throws(Fault) -> String {
    let words = flaw(ofName: name)
    if words == nil { return name }
    if words == noZone, let new = newName(of: name), flaw(ofName: new) == nil { return new }
    throw Fault(
      origin ?? "zone '\(name.excerpt)'",
      words == noZone
        ? "not in the tz database (\(database)); names are like Europe/London or UTC, and POSIX "
          + "rules are not read" : "\(path(of: name)): \(words ?? "")")
  }

  private static func path(of name: String) -> String {
    name.hasPrefix("/") ? name : "\(database)/\(name)"
  }

  private static func flaw(ofName name: String) -> String? {
    let path = path(of: name)
    let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    // A zone below right/ counts leap seconds, which no computer's clock shows. The others are what
    // programs look for, and stand for no place.
    let isNone =
      name.hasPrefix("right/") || name.hasPrefix("posix/")
      || ["Factory", "localtime", "posixrules"].contains(name)
      || parts.contains { ["", ".", ".."].contains($0) }
    return isNone ? noZone : flaw(of: path)
  }

  private static let noZone = "it is no time zone file, or leads to none"

  /// Why a file is no zone; nil if it is one. For a file that glibc cannot read, it silently takes
  /// UTC. A whole one ends with a line for the times after the last change (RFC 9636).
  private static func flaw(of path: String) -> String? {
    guard let bytes = try? readRegularFile(path), bytes.starts(with: "TZif".utf8) else {
      return noZone
    }
    return bytes.last == UInt8(ascii: "\n")
      ? nil : "the time zone file is torn; reinstall the package tzdata"
  }

  private init(loaded name: String) {
    self.name = name
    tzset()
  }

  private static var database: String {
    getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo"
  }

  /// What a zone is called today, as `America/New_York` for `US/Eastern`, or in other capitals; nil if
  /// that is no name. Debian 13 has the old names in a package of its own, but lists them all.
  private static func newName(of old: String) -> String? {
    guard let list = try? readRegularFile("\(database)/tzdata.zi") else { return nil }
    let old = old.lowercased()
    // A line such as `Z America/New_York -4:56:2 ...` or `L America/New_York US/Eastern`.
    for line in String(decoding: list, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 2, ["Z", "L"].contains(words[0]) else { continue }
      if words[words[0] == "L" ? 2 : 1].lowercased() == old { return String(words[1]) }
    }
    return nil
  }

  /// What the link `/etc/localtime` points to, without the database's folder.
  private static var nameBehindLocaltime: String? {
    guard let resolved = realpath(localtime, nil) else { return nil }
    defer { free(resolved) }
    let path = String(cString: resolved)
    return path.hasPrefix("\(database)/") ? String(path.dropFirst(database.count + 1)) : nil
  }

  public func civil(at instant: Instant) -> CivilTime {
    var seconds = time_t(instant.seconds)
    var fields = tm()
    localtime_r(&seconds, &fields)
    return CivilTime(at: instant, utcOffsetSeconds: Int(fields.tm_gmtoff))
  }

  public func instants(of time: CivilDateTime) -> [Instant] {
    let asUTC = Instant(utc: time).seconds
    // No zone is more than a day from UTC, so only the offsets in force a day before and after
    // count.
    let offsets = [-86_400, 86_400].map {
      Int64(civil(at: Instant(seconds: asUTC + $0)).utcOffsetSeconds)
    }
    return Set(offsets).map { Instant(seconds: asUTC - $0) }
      .filter { civil(at: $0).dateTime == time }.sorted()
  }
}

extension Instant {
  /// As ISO 8601 in UTC: `2026-11-21T14:15:00Z`.
  public func utcText() -> String {
    "\(CivilTime(at: self, utcOffsetSeconds: 0).dateTime)Z"
  }
}
