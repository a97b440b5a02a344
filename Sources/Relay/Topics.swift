/// The topics of one clock:
///
///     PREFIX/clock/NAME/availability   online or offline, retained
///     PREFIX/clock/NAME/state          what it knows of itself, as JSON, retained
///     PREFIX/clock/NAME/command        what it is to do, as JSON
///     PREFIX/group/GROUP/command       the same, for every clock of a group
public struct Topics: Hashable, Sendable {
  public let prefix: String
  public let name: String
  /// Nil if it belongs to none.
  public let group: String?
  /// Under which Home Assistant discovers; nil if it is not to.
  public let discoveryPrefix: String?

  public init(prefix: String, name: String, group: String?, discoveryPrefix: String?) {
    self.prefix = prefix
    self.name = name
    self.group = group
    self.discoveryPrefix = discoveryPrefix
  }

  public var clock: String { "\(prefix)/clock/\(name)" }
  public var availability: String { "\(clock)/availability" }
  public var state: String { "\(clock)/state" }
  public var command: String { "\(clock)/command" }
  private var groupCommand: String? { group.map { "\(prefix)/group/\($0)/command" } }

  /// Where commands are sent to.
  public var commands: [String] { [command] + [groupCommand].compactMap { $0 } }

  /// What Home Assistant knows the clock by. Clocks of the same name under other prefixes are others.
  var objectID: String {
    prefix == Self.usualPrefix ? "clocksmith_\(name)" : "clocksmith_\(name)_\(digest)"
  }

  static let usualPrefix = "clocksmith"

  /// Of the clock's topic: FNV-1a, in hexadecimal digits.
  private var digest: String {
    let hash = clock.utf8.reduce(0x811c_9dc5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    return String(hash, radix: 16)
  }

  /// By which the broker knows this connection. Two with the same would push each other out for ever,
  /// and the names of machines are often the same.
  func clientID(ofMachine machine: String) -> String {
    let id = "\(objectID)_\(machine)"
    return machine.isEmpty ? objectID : id
  }

  /// Where the clock is described to it.
  public var discovery: String? { discoveryPrefix.map { "\($0)/device/\(objectID)/config" } }
  /// Where the broker keeps what was told last.
  var retained: [String] { [discovery, state, availability].compactMap { $0 } }

  /// Where it tells that it has started.
  var birth: String? { discoveryPrefix.map { "\($0)/status" } }

  /// What is subscribed to. What lies below a command's topic belongs to nobody, and is told.
  public var filters: [String] {
    commands.map { "\($0)/#" } + [birth].compactMap { $0 }
  }

  public enum Destination: Hashable, Sendable {
    case command
    case birth
    case nobody
  }

  public func destination(of topic: String) -> Destination {
    switch topic {
    case command, groupCommand: .command
    case birth: .birth
    default: .nobody
    }
  }

  // MARK: Names

  static let allowedName = "1 to 64 of a-z, A-Z, 0-9, _ and -"

  /// True of what may stand in a topic and in an id of Home Assistant.
  static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isNameByte)
  }

  /// True of names with slashes between them.
  static func isPrefix(_ text: String) -> Bool {
    text.utf8.count <= 200
      && text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
        isName(String($0))
      }
  }

  /// The name of the machine, without its domain and with `-` for what a name may not have.
  static func name(ofHost host: String) -> String {
    let label = host.utf8.prefix { $0 != UInt8(ascii: ".") }.prefix(64)
    let name = String(
      decoding: label.map { isNameByte($0) ? $0 : UInt8(ascii: "-") }, as: UTF8.self)
    return name.isEmpty ? "clocksmith" : name
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
