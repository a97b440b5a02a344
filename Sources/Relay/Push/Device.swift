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

  public let token: String
  // Nil if a registration does not name it: a renewal keeps it as it was. A device in the register
  // has all of them.
  public let platform: Platform?
  public let environment: Environment?
  public let events: PushEvents?
}

extension Device {
  static let token = Key<String>.text("token", allowed: allowed)
  private static let allowed = "64 to 200 hexadecimal digits, an even number"
  private static let platform = Key<Platform>.choice("platform")
  private static let environment = Key<Environment>.choice("environment")
  private static let events = Key<PushEvents>.parsed(
    "events", allowed: PushEvents.allowed, as: \.text, { PushEvents(text: $0) })

  static let keys = [token.name, platform.name, environment.name, events.name]

  /// - Throws: `BadValue` for a value that is wrong; a wrong token is not told, for it may be private.
  public init(_ record: Record) throws(BadValue) {
    token = try record.value(Self.token).lowercased()
    guard (64...200).contains(token.utf8.count), token.utf8.count.isMultiple(of: 2),
      token.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
    else {
      throw BadValue(key: Self.token.name, because: "not an APNs token; write \(Self.allowed)")
    }
    platform = try record.optional(Self.platform)
    environment = try record.optional(Self.environment)
    events = try record.optional(Self.events)
  }
}

public struct RegisteredDevice: Hashable, Sendable {
  public let device: Device
  public let registered: Instant
  /// Nil while it is active.
  public let deactivated: Instant?
  /// Why it was deactivated, as APNs names it: `Unregistered`; or why it was refused, and nothing was
  /// accepted for it since: `BadDeviceToken`.
  public let reason: String?
}
