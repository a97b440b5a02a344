import Basics
import Horology

/// A phone or another device that is registered for push messages.
public struct Device: Hashable, Sendable {
  public enum Platform: String, CaseIterable, Sendable {
    case ios, ipados, macos, tvos, visionos, watchos
  }

  /// Which of Apple's two servers knows the token.
  public enum Environment: String, CaseIterable, Sendable {
    case production, sandbox
  }

  /// In lower-case hexadecimal digits.
  public let token: String
  // Nil if a registration does not name it: a renewal keeps it as it was. A device in the register
  // has all of them.
  public internal(set) var platform: Platform?
  public internal(set) var environment: Environment?
  public internal(set) var events: PushEvents?

  /// - Throws: `Fault` for a text that cannot be a token of APNs.
  public init(token: String) throws(Fault) {
    guard let digits = Self.digits(token) else {
      throw Fault("the token \"\(token.excerpt)\"", "not an APNs token; write \(Self.allowed)")
    }
    self.token = digits
  }

  private static let allowed = "64 to 200 hexadecimal digits, an even number"

  private static func digits(_ token: String) -> String? {
    let digits = token.lowercased()
    let isToken =
      (64...200).contains(digits.utf8.count) && digits.utf8.count.isMultiple(of: 2)
      && digits.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    return isToken ? digits : nil
  }

  /// The device in the journal: only the start of its token, which is private.
  var title: String { "\(token.prefix(8))..." }
}

extension Device {
  static let token = Key<String>.text("token", allowed: allowed)
  private static let platform = Key<Platform>.choice("platform")
  private static let environment = Key<Environment>.choice("environment")
  private static let events = Key<PushEvents>.parsed(
    "events", allowed: PushEvents.allowed, as: \.text, { PushEvents(text: $0) })

  /// The keys of a registration.
  static let keys = [token.name, platform.name, environment.name, events.name]

  init(token record: Record) throws(BadValue) {
    guard let token = Self.digits(try record.value(Self.token)) else {
      // It is not told: it may be private.
      throw BadValue(key: Self.token.name, because: "not an APNs token; write \(Self.allowed)")
    }
    self.token = token
  }

  /// Sets what a registration names.
  public mutating func choose(_ record: Record) throws(BadValue) {
    platform = try record.optional(Self.platform)
    environment = try record.optional(Self.environment)
    events = try record.optional(Self.events)
  }
}

/// A device in the register.
public struct RegisteredDevice: Hashable, Sendable {
  let number: Int64
  public let device: Device
  public let registered: Instant
  /// When it was deactivated, and why; nil while it is active.
  public let gone: Departure?

  public struct Departure: Hashable, Sendable {
    public let at: Instant
    /// As APNs names it, as in `Unregistered`.
    public let reason: String
  }
}
