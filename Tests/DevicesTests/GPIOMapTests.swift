import Basics
import Glibc
import TestSupport
import Testing

@testable import Devices

@Suite struct GPIOMapTests {
  private static func line(
    _ chip: String, _ offset: UInt32, _ name: String? = nil, path: String = "/dev/gpiochip0",
    consumer: String? = nil
  ) -> GPIOMap.Line {
    GPIOMap.Line(
      chipPath: path, chipLabel: chip, offset: offset, name: name, consumer: consumer)
  }

  private static let pi = GPIOMap(
    lines: (0..<28).map { line("pinctrl-rp1", $0, "GPIO\($0)") } + [
      line("gpio-brcmstb@107d508500", 0, "RP1_SDA", path: "/dev/gpiochip1"),
      line("gpio-brcmstb@107d508500", 1, "-", path: "/dev/gpiochip1"),
      line("gpio-brcmstb@107d517c00", 0, "-", path: "/dev/gpiochip2"),
    ])

  @Test("a line is found by its name") func byName() throws {
    #expect(try Self.pi.line(named: "GPIO17").place == "pinctrl-rp1:17")
  }

  @Test("a line is found by its chip's label and its offset, whatever the label holds")
  func byOffset() throws {
    #expect(try Self.pi.line(named: "pinctrl-rp1:4").name == "GPIO4")
    let map = GPIOMap(lines: [Self.line("a:b.c:3", 5)])
    #expect(try map.line(named: "a:b.c:3:5").offset == 5)
  }

  @Test(
    "what is not there is told with what is",
    arguments: [
      ("GPIO71", "there is no such line; write its name, as GPIO17 (gpioinfo lists them), or "),
      ("gpio17", "there is no such line; "),
      (
        "-", "there are 2, gpio-brcmstb@107d508500:1, gpio-brcmstb@107d517c00:0; write one of these"
      ),
      (
        "pinctrl-rp1:28", "chip-label:offset, of gpio-brcmstb@107d508500, gpio-brcmstb@107d517c00, "
      ),
    ])
  func whatIsNotThere(text: String, words: String) {
    let fault = faultThrown { _ = try Self.pi.line(named: text) }
    #expect(fault?.description.contains(words) == true, "\(String(describing: fault))")
  }

  @Test(
    "GPIO17 of the header is found where no line has a name",
    arguments: ["pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"])
  func byNumber(chip: String) throws {
    let map = GPIOMap(
      lines: (0..<54).map { Self.line(chip, $0) } + [Self.line("raspberrypi-exp-gpio", 17)])
    #expect(try map.line(named: "GPIO17").place == "\(chip):17")
    #expect(throws: Fault.self) { try map.line(named: "GPIO28") }
    #expect(throws: Fault.self) { try map.line(named: "GPIO017") }
  }

  @Test("a line that the kernel names after what else it can do is found by its number")
  func byNumberBesideAnotherName() throws {
    let map = GPIOMap(lines: [
      Self.line("pinctrl-bcm2835", 4, "GPIO_GCLK"), Self.line("pinctrl-bcm2835", 17, "GPIO17"),
    ])
    #expect(try map.line(named: "GPIO4").description == "GPIO_GCLK (pinctrl-bcm2835:4)")
  }

  @Test("a line of that name elsewhere comes before the header's line of that number")
  func nameBeforeNumber() throws {
    let map = GPIOMap(lines: [
      Self.line("pinctrl-rp1", 17), Self.line("expander", 3, "GPIO17", path: "/dev/gpiochip1"),
    ])
    #expect(try map.line(named: "GPIO17").place == "expander:3")
  }

  @Test("two chips of one label are not told apart by it") func twoChips() {
    let map = GPIOMap(lines: [
      Self.line("twin", 3), Self.line("twin", 3, path: "/dev/gpiochip1"),
    ])
    let fault = faultThrown { _ = try map.line(named: "twin:3") }
    #expect(
      fault?.description.contains(
        "there are 2, twin:3, twin:3; write one of these, or wire another") == true)
  }

  @Test("a line is told by its name and its place, or by its place alone") func whatItIsCalled() {
    #expect(Self.line("pinctrl-rp1", 17, "GPIO17").description == "GPIO17 (pinctrl-rp1:17)")
    #expect(Self.line("9030000.pl061", 5).description == "9030000.pl061:5")
  }

  @Test(
    "a line that cannot be taken is told with what to do",
    arguments: [
      (EBUSY, "gpiomon", "held by 'gpiomon'; end that, or wire another line"),
      (EBUSY, "clocksmith", "held by 'clocksmith' already; 'systemctl stop clocksmith' frees it"),
      (EBUSY, nil, "somebody has just taken it; try again"),
      (EACCES, nil, "not allowed; the user must be in the group 'gpio'"),
      (EPERM, nil, "not allowed; the user must be in the group 'gpio'"),
      (ENODEV, nil, "its chip is gone, or cannot tell of edges; wire another line"),
      (EINVAL, nil, "Invalid argument"),
    ] as [(Int32, String?, String)])
  func refusal(code: Int32, consumer: String?, words: String) {
    let fault = Self.line("pinctrl-rp1", 17, "GPIO17", consumer: consumer).refusal(code: code)
    #expect(fault.code == code)
    #expect(
      fault.description == "cannot take GPIO line GPIO17 (pinctrl-rp1:17): \(words)")
  }

  @Test("with no GPIO at all there is one sentence") func noGPIO() {
    let fault = faultThrown { _ = try GPIOInput(line: "no such line", active: .low) }
    #expect(fault != nil)
    #expect(fault?.description.contains("\n") == false)
  }
}
