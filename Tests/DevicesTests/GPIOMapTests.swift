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

  /// A chip whose lines have no names.
  private static func bare(_ chip: String) -> GPIOMap {
    GPIOMap(lines: (0..<54).map { line(chip, $0) } + [line("raspberrypi-exp-gpio", 17)])
  }

  private static let pi = GPIOMap(
    lines: (0..<28).map { line("pinctrl-rp1", $0, "GPIO\($0)") } + [
      line("gpio-brcmstb@107d508500", 0, "RP1_SDA", path: "/dev/gpiochip1"),
      line("gpio-brcmstb@107d508500", 1, "-", path: "/dev/gpiochip1"),
      line("gpio-brcmstb@107d517c00", 0, "-", path: "/dev/gpiochip2"),
    ])

  @Test(
    "what is not there is told with what is",
    arguments: [
      (
        "GPIO71",
        "there is no such line; write its name (gpioinfo lists them), for example GPIO17, or "
      ),
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
    "a line is found by its name, by its chip and offset, or else by its number on the header",
    arguments: [
      (pi, "GPIO17", "GPIO17 (pinctrl-rp1:17)"), (pi, "pinctrl-rp1:4", "GPIO4 (pinctrl-rp1:4)"),
      (GPIOMap(lines: [line("a:b.c:3", 5)]), "a:b.c:3:5", "a:b.c:3:5"),
      (bare("pinctrl-bcm2835"), "GPIO17", "pinctrl-bcm2835:17"),
      (bare("pinctrl-bcm2711"), "GPIO17", "pinctrl-bcm2711:17"),
      (bare("pinctrl-bcm2835"), "GPIO28", nil), (bare("pinctrl-bcm2835"), "GPIO017", nil),
      (
        GPIOMap(lines: [line("pinctrl-bcm2835", 4, "GPIO_GCLK")]), "GPIO4",
        "GPIO_GCLK (pinctrl-bcm2835:4)"
      ),
      (
        GPIOMap(lines: [line("pinctrl-rp1", 17), line("expander", 3, "GPIO17")]), "GPIO17",
        "GPIO17 (expander:3)"
      ),
      (GPIOMap(lines: [line("twin", 3), line("twin", 3, path: "/dev/gpiochip1")]), "twin:3", nil),
    ] as [(GPIOMap, String, String?)])
  func found(map: GPIOMap, text: String, line: String?) {
    #expect((try? map.line(named: text))?.description == line)
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
}
