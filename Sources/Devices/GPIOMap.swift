import Basics
import CClocksmith
@preconcurrency import Glibc

/// The GPIO lines that there are, and who has them. Lines are looked up here.
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

  init(lines: [Line]) {
    self.lines = lines
  }

  /// The chips and lines that the kernel has now.
  /// - Throws: `Fault` if there is no chip, or none may be opened.
  public static func current() throws(Fault) -> GPIOMap {
    let collected = Collection()
    let count = clocksmith_gpio_visit(
      { line, context in
        Unmanaged<Collection>.fromOpaque(context!).takeUnretainedValue().add(line!.pointee)
      }, Unmanaged.passUnretained(collected).toOpaque())
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
    return GPIOMap(lines: collected.lines)
  }

  /// The pin controllers behind the 40-pin header: Raspberry Pi 3 and Zero 2 W, 4, 5. GPIOn of the
  /// header is line n of each (BCM2835 ARM Peripherals, 6.2; RP1 Peripherals, 3.1.1).
  private static let headerChips: Set = ["pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"]
  private static let headerLines: Range<UInt32> = 0..<28

  /// The line that a configuration means.
  /// - Parameter text: a line's name, `chip-label:offset`, or `GPIOn` for a line of a Pi's header,
  ///   whatever the kernel calls it. Mainline's device trees name some lines after their other
  ///   functions (`GPIO_GCLK`), and give the lines of a Pi 5 no names.
  /// - Throws: `Fault` if there is none, or more than one; it names what there is instead.
  public func line(named text: String) throws(Fault) -> Line {
    let named = lines.filter { $0.name == text }
    if named.count == 1 { return named[0] }
    if named.count > 1 {
      throw Fault(
        "GPIO line \(text)",
        "there are \(named.count) of that name; write which: \(Self.list(named.map(\.place)))")
    }
    if let colon = text.lastIndex(of: ":"), let offset = UInt32(text[text.index(after: colon)...]) {
      return try place(chip: String(text[..<colon]), offset: offset, text)
    }
    if let line = headerLine(text) { return line }
    throw Fault("GPIO line \(text)", "there is none of that name; \(hint(for: text))")
  }

  /// Line n of the header's chip for `GPIOn`; nil if there is no such chip, or more than one.
  private func headerLine(_ text: String) -> Line? {
    guard text.hasPrefix("GPIO"), let number = UInt32(text.dropFirst(4)),
      Self.headerLines.contains(number), text == "GPIO\(number)"
    else { return nil }
    let found = lines.filter { Self.headerChips.contains($0.chipLabel) && $0.offset == number }
    return found.count == 1 ? found[0] : nil
  }

  private func place(chip: String, offset: UInt32, _ text: String) throws(Fault) -> Line {
    let ofChip = lines.filter { $0.chipLabel == chip }
    guard !ofChip.isEmpty else {
      throw Fault("GPIO line \(text)", "there is no chip '\(chip)'; there are \(chips)")
    }
    let found = ofChip.filter { $0.offset == offset }
    if found.count == 1 { return found[0] }
    if found.count > 1 {
      throw Fault(
        "GPIO line \(text)",
        "there are \(found.count) chips '\(chip)'; name the line itself (gpioinfo lists them)")
    }
    throw Fault(
      "GPIO line \(text)", "chip '\(chip)' has \(ofChip.count) lines, 0 to \(ofChip.count - 1)")
  }

  private var chips: String {
    Self.list(Set(lines.map(\.chipLabel)).sorted())
  }

  private func hint(for text: String) -> String {
    let names = Set(lines.compactMap(\.name)).filter { !$0.isEmpty }
    guard !names.isEmpty else {
      return "no line has a name here: write chip-label:offset, of \(chips)"
    }
    let nearest = names.map { (Self.distance($0, text), $0) }.sorted { $0 < $1 }
    return "the nearest are \(Self.list(nearest.prefix(3).map(\.1)))"
  }

  private static func list(_ words: [String]) -> String {
    words.joined(separator: ", ")
  }

  /// The Levenshtein distance, without regard to case: how many letters must be inserted, deleted
  /// or replaced to turn one word into the other.
  static func distance(_ one: String, _ other: String) -> Int {
    let letters = Array(other.lowercased())
    var row = Array(0...letters.count)
    for (index, letter) in one.lowercased().enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for (column, candidate) in letters.enumerated() {
        let replaced = diagonal + (letter == candidate ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
      }
    }
    return row[letters.count]
  }
}

extension GPIOMap.Line: CustomStringConvertible {
  /// As in `GPIO17 (pinctrl-rp1:17)`; its place if it has no name.
  public var description: String { name.map { "\($0) (\(place))" } ?? place }
}

private final class Collection {
  var lines: [GPIOMap.Line] = []

  func add(_ line: clocksmith_line_info) {
    lines.append(
      GPIOMap.Line(
        chipPath: String(cString: line.chip_path), chipLabel: String(cString: line.chip_label),
        offset: line.offset, name: line.name.map { String(cString: $0) },
        consumer: line.consumer.map { String(cString: $0) }))
  }
}
