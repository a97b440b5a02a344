import Basics
import CClocksmith
@preconcurrency import Glibc

/// The GPIO lines that there are, and who has them.
public struct GPIOMap: Hashable, Sendable {
  public struct Line: Hashable, Sendable {
    public let chipPath: String
    /// The driver's name for the chip, as in `pinctrl-rp1`. Its number differs between kernels.
    let chipLabel: String
    public let offset: UInt32
    /// Nil if the device tree gives it none, as on old kernels of the Pi 3.
    public let name: String?
    public let consumer: String?

    /// As in `pinctrl-rp1:17`.
    public var place: String { "\(chipLabel):\(offset)" }

    /// As in `GPIO17`; nil outside a Pi's header.
    fileprivate var headerName: String? {
      GPIOMap.headerChips.contains(chipLabel) && offset < 28 ? "GPIO\(offset)" : nil
    }

    /// True if this program has taken it, in this process or another.
    public var isHeldByClocksmith: Bool { consumer == CLOCKSMITH_CONSUMER }

    /// Who has taken it, and how to free it; nil if nobody has.
    public var holding: String? {
      guard let consumer else { return nil }
      return isHeldByClocksmith
        ? "held by 'clocksmith' already; 'systemctl stop clocksmith' frees it"
        : "held by '\(consumer)'; end that, or wire another line"
    }
  }

  public let lines: [Line]

  /// - Throws: `Fault` if there is no chip, or none may be opened.
  public static func current() throws(Fault) -> GPIOMap {
    var lines: [Line] = []
    let count = withUnsafeMutablePointer(to: &lines) { lines in
      clocksmith_gpio_visit(
        { line, context in
          context!.assumingMemoryBound(to: [Line].self).pointee.append(Line(line!.pointee))
        }, lines)
    }
    if count == -EACCES || count == -EPERM {
      throw Fault(
        "cannot open /dev/gpiochip*", code: -count,
        "not allowed; the user must be in the group 'gpio'")
    }
    if count < 0 { throw Fault("cannot open /dev/gpiochip*", errno: -count) }
    if count == 0 {
      throw Fault(
        "GPIO",
        "this machine has no GPIO chip (/dev/gpiochip*), which a switch, a button and a lamp need")
    }
    return GPIOMap(lines: lines)
  }

  /// The pin controllers behind the 40-pin header: Raspberry Pi 3 and Zero 2 W, 4, 5. GPIOn of the
  /// header is line n of each (BCM2835 ARM Peripherals, 6.2; RP1 Peripherals, 3.1.1).
  fileprivate static let headerChips: Set = ["pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"]

  /// `GPIO17` for `pinctrl-rp1:17`, which is the same line; any other text as it is.
  public static func shortName(_ text: String) -> String {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    return parts.count == 2 && headerChips.contains(parts[0]) ? "GPIO\(parts[1])" : text
  }

  /// The lines of a Pi's header that nobody has taken and that have no second function, as `GPIO17`.
  /// To take a line of I2C, SPI, a UART, PCM or PWM would end that function until the next start
  /// (BCM2835 ARM Peripherals, 6.2).
  public var freeHeaderLines: [String] {
    let plain: Set<UInt32> = [4, 5, 6, 16, 17, 22, 23, 24, 25, 26, 27]
    return lines.filter { plain.contains($0.offset) && $0.consumer == nil }.compactMap(\.headerName)
  }

  /// - Parameter text: a line's name, `chip-label:offset`, or `GPIOn` for a line of a Pi's header.
  ///   Mainline's device trees name some lines after their other functions (`GPIO_GCLK`), and give
  ///   the lines of a Pi 5 no names.
  public func line(named text: String) throws(Fault) -> Line {
    var found = lines.filter { $0.name == text }
    if found.isEmpty { found = lines.filter { $0.place == text } }
    if found.isEmpty { found = lines.filter { $0.headerName == text } }
    if found.count == 1 { return found[0] }
    let chips = Set(lines.map(\.chipLabel)).sorted().joined(separator: ", ")
    throw Fault(
      "GPIO line \(text)",
      found.isEmpty
        ? "there is no such line; write its name (gpioinfo lists them), for example GPIO17, or "
          + "chip-label:offset, of \(chips)"
        : "there are \(found.count), \(found.map(\.place).joined(separator: ", ")); write one of these, "
          + "or wire another line")
  }
}

extension GPIOMap.Line: CustomStringConvertible {
  /// As in `GPIO17 (pinctrl-rp1:17)`; its place if it has no name.
  public var description: String { name.map { "\($0) (\(place))" } ?? place }

  fileprivate init(_ line: clocksmith_line_info) {
    self.init(
      chipPath: String(cString: line.chip_path), chipLabel: String(cString: line.chip_label),
      offset: line.offset, name: line.name.map { String(cString: $0) },
      consumer: line.consumer.map { String(cString: $0) })
  }
}
