import Basics
import CSystemd
@preconcurrency import Glibc

/// The topics of one clock:
///
///     PREFIX/clock/NAME/availability   online or offline, retained
///     PREFIX/clock/NAME/state          its state, as JSON, retained
///     PREFIX/clock/NAME/event          its timers at zero and its alarms that ring, as JSON
///     PREFIX/clock/NAME/command        commands to it, as JSON
///     PREFIX/clock/NAME/answer         how each command has ended, as JSON
///     PREFIX/group/GROUP/command       the same, for every clock of a group
public struct Topics: Hashable, Sendable {
  public internal(set) var prefix: String
  public internal(set) var name: String
  var group: String?
  /// The prefix of Home Assistant's discovery topics; nil for no discovery.
  var discoveryPrefix: String?

  public var clock: String { "\(prefix)/clock/\(name)" }
  public var availability: String { "\(clock)/availability" }
  public var state: String { "\(clock)/state" }
  public var event: String { "\(clock)/event" }
  public var command: String { "\(clock)/command" }
  public var answer: String { "\(clock)/answer" }
  public var commands: [String] {
    [command] + [group.map { "\(prefix)/group/\($0)/command" }].compactMap { $0 }
  }

  /// The same whatever the name is: by it Home Assistant knows the clock and its entities.
  var objectID: String { "clocksmith_\(Self.machine)" }

  /// The client ID, by which the broker knows this connection. Two clients with the same ID would
  /// disconnect each other for ever, and host names are often the same.
  var clientID: String { "clocksmith_\(name)_\(Self.machine)" }

  /// Where clocksmith 0.9.0 published what it told Home Assistant.
  var oldDiscovery: String? { discoveryPrefix.map { "\($0)/device/clocksmith_\(name)/config" } }

  public var discovery: String? { discoveryPrefix.map { "\($0)/device/\(objectID)/config" } }
  /// The topics whose last message the broker keeps.
  var retained: [String] { [discovery, state, availability].compactMap { $0 } }

  var birth: String? { discoveryPrefix.map { "\($0)/status" } }

  /// The filters to subscribe to. They include the topics below a command's topic, so that a
  /// command sent there is refused and logged.
  public var filters: [String] {
    commands.map { "\($0)/#" } + [birth].compactMap { $0 }
  }

  static let allowedName = "1 to 64 of a-z, A-Z, 0-9, _ and -"

  /// True if the text may stand in a topic and in an id of Home Assistant.
  @Sendable static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isNameByte)
  }

  /// True for names with slashes between them.
  @Sendable static func isPrefix(_ text: String) -> Bool {
    text.utf8.count <= 200
      && text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
        isName(String($0))
      }
  }

  /// The host name without its domain, with `-` in place of characters that a name may not have.
  static func name(ofHost host: String) -> String {
    let label = host.utf8.prefix { $0 != UInt8(ascii: ".") }.prefix(64)
    let name = String(
      decoding: label.map { isNameByte($0) ? $0 : UInt8(ascii: "-") }, as: UTF8.self)
    return name.isEmpty ? "clocksmith" : name
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    byte < 128 && isalnum(Int32(byte)) != 0 || "_-".utf8.contains(byte)
  }

  /// For sd_id128_get_machine_app_specific(3), made with `systemd-id128 new`.
  private static let program = sd_id128_t(
    bytes: (
      0xb1, 0x7f, 0x05, 0xab, 0x94, 0x67, 0x42, 0xa2, 0x83, 0x98, 0xd4, 0x3f, 0x6e, 0x54, 0xc0, 0x8b
    ))

  /// Eight hexadecimal digits that identify the machine without revealing /etc/machine-id.
  private static var machine: String {
    var id = sd_id128_t()
    sd_id128_get_machine_app_specific(program, &id)
    return withUnsafeBytes(of: id) { $0.prefix(4).hexadecimal }
  }
}
