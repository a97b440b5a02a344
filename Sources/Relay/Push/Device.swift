import Basics

/// A phone or another device that is registered for push messages.
public struct Device: Hashable, Sendable {
  public enum Platform: String, CaseIterable, Sendable {
    case ios, ipados, macos, tvos, visionos, watchos
  }

  /// Which of Apple's two servers knows the token.
  public enum Environment: String, CaseIterable, Sendable {
    case production, sandbox
  }

  /// What a registration names. A renewal keeps the rest as it was.
  struct Choices: OptionSet, Hashable, Sendable {
    let rawValue: Int

    static let platform = Choices(rawValue: 1)
    static let environment = Choices(rawValue: 2)
    static let events = Choices(rawValue: 4)
    static let all: Choices = [.platform, .environment, .events]
  }

  /// In lower-case hexadecimal digits.
  public let token: String
  public var platform = Platform.ios
  public var environment = Environment.production
  public var events = PushEvents.usual
  /// A device in the register has all of them.
  var named: Choices = []

  /// - Throws: `Fault` for a text that cannot be a token of APNs.
  public init(token: String) throws(Fault) {
    let digits = token.lowercased()
    guard (64...200).contains(digits.utf8.count), digits.utf8.count.isMultiple(of: 2),
      digits.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
    else {
      throw Fault(
        "the token \"\(token.excerpt)\"",
        "not an APNs token; write 64 to 200 hexadecimal digits, an even number")
    }
    self.token = digits
  }

  /// The device in the journal: only the start of its token, which is private.
  static func title(ofToken token: String) -> String { "\(token.prefix(8))..." }
}

extension Device {
  public mutating func setPlatform(_ text: String) throws(Fault) {
    platform = try Self.choice(text, "platform")
    named.insert(.platform)
  }

  public mutating func setEnvironment(_ text: String) throws(Fault) {
    environment = try Self.choice(text, "environment")
    named.insert(.environment)
  }

  public mutating func setEvents(_ text: String) throws(Fault) {
    guard let events = PushEvents(text: text) else {
      throw Fault("events \"\(text.excerpt)\"", "allowed: \(PushEvents.allowed)")
    }
    self.events = events
    named.insert(.events)
  }

  private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ text: String, _ what: String
  ) throws(Fault) -> Choice {
    guard let choice = Choice(rawValue: text) else {
      let allowed = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw Fault("\(what) \"\(text.excerpt)\"", "allowed: \(allowed)")
    }
    return choice
  }
}

/// A device in the register.
public struct RegisteredDevice: Hashable, Sendable {
  public let device: Device
  public let registered: UTCTime
  /// When it was deactivated, and why; nil while it is active.
  public let gone: Departure?

  public struct Departure: Hashable, Sendable {
    public let at: UTCTime
    /// As APNs names it, as in `Unregistered`.
    public let reason: String
  }
}
