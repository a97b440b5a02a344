import Basics
import CClocksmith
@preconcurrency import Glibc
import Horology

public enum RTCChoice: Hashable, Sendable {
  /// The one from which the kernel set its clock, otherwise the first, as `rtc0`; it may be absent.
  case auto
  /// No clock, even if there is one.
  case none
  /// The clock of that name, which must be there.
  case named(String)

  public init?(text: String) {
    switch text {
    case "": return nil
    case "auto": self = .auto
    case "none": self = .none
    default: self = .named(text)
    }
  }
}

/// A real-time clock in /sys/class/rtc (Documentation/ABI/testing/rtc-cdev and sysfs-class-rtc): read,
/// and never set.
public struct RealTimeClock: Hashable, Sendable {
  public static let folder = "/sys/class/rtc"

  /// The kernel's name for it, as in `rtc0`.
  public let device: String
  /// Of the chip, as in `ds3231`, or else of the driver, as in `rpi-rtc`.
  public let name: String
  /// True if the kernel set its clock from this one.
  public let hasSetTheClock: Bool
  private let path: String

  private init(_ device: String, in folder: String) {
    self.device = device
    path = "\(folder)/\(device)"
    // For a chip on I2C, its name in the device tree: one driver serves many chips.
    let chip = try? attribute("\(path)/device/name")
    // As in `rtc-ds1307 1-0068`, with the place where it sits.
    let place = try? attribute("\(path)/name")
    let driver = place?.split(separator: " ").first.map(String.init) ?? device
    name = chip ?? (driver.hasPrefix("rtc-") ? String(driver.dropFirst(4)) : driver)
    hasSetTheClock = (try? attribute("\(path)/hctosys")) == "1"
  }

  public static func all(in folder: String = folder) -> [RealTimeClock] {
    names(inFolder: folder)
      .filter { $0.hasPrefix("rtc") && Int($0.dropFirst(3)) != nil }
      .sorted { Int($0.dropFirst(3))! < Int($1.dropFirst(3))! }
      .map { RealTimeClock($0, in: folder) }
  }

  /// - Throws: `Fault` if there is none of that name; it lists the clocks there are.
  public static func chosen(
    _ choice: RTCChoice, in folder: String = folder
  ) throws(Fault) -> RealTimeClock? {
    switch choice {
    case .none: return nil
    case .auto:
      let all = all(in: folder)
      return all.first { $0.hasSetTheClock } ?? all.first
    case .named(let name):
      let all = all(in: folder)
      if let clock = all.first(where: { [$0.name, $0.device].contains(name) }) { return clock }
      let known = all.map { "\($0.name) (\($0.device))" }.joined(separator: ", ")
      throw Fault(
        "rtc = \(name)",
        all.isEmpty
          ? "there is no RTC at all; is it wired, and named in config.txt (on the flashed card: "
            + "in clocksmith.txt)?"
          : "there is no such RTC; there are \(known)")
    }
  }

  /// Reads its time and its flags. A chip on I2C takes about a millisecond. If it no longer
  /// answers, the read takes as long as its bus waits.
  /// - Parameters:
  ///   - known: its flags, if they need not be read: no other program can set the clock meanwhile.
  ///   - adjustments: the file of hwclock(8), whose third line says `UTC` or `LOCAL`.
  public func read(
    flags known: RTCFlags? = nil, adjustments: String = "/etc/adjtime"
  ) -> RTCReading {
    let before = SystemClock.now
    let answer = self.answer
    let after = SystemClock.now
    // As the clocks were in the middle of the reading.
    let middle = after.later(by: (before.sinceBoot - after.sinceBoot) / 2)
    return RTCReading(
      name: name, moment: middle, answer: answer, flags: known ?? flags,
      keepsLocalTime: Self.isLocal(by: adjustments))
  }

  private static func isLocal(by adjustments: String) -> Bool {
    guard let bytes = try? readRegularFile(adjustments) else { return false }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return lines.count > 2 && lines[2].elementsEqual("LOCAL".utf8)
  }

  /// `since_epoch` gives the time of `RTC_RD_TIME` without opening the device. If the driver finds
  /// the chip's time invalid, both fail the same way (drivers/rtc/sysfs.c, rtc_read_time).
  private var answer: RTCReading.Answer {
    do throws(Fault) {
      let text = try attribute("\(path)/since_epoch")
      guard let seconds = Int64(text) else { return .failed("it answers '\(text)'") }
      // Limited to what an `Instant` holds. A time beyond that is judged to be nonsense anyway.
      return .time(Instant(seconds: min(max(seconds, 0), 9_000_000_000)))
    } catch {
      return error.code == EINVAL ? .notValid : .failed(error.detail)
    }
  }

  private var flags: RTCFlags? {
    if let battery { return battery }
    // Only one process at a time can open it, and none keeps it open for long.
    let descriptor = open("/dev/\(device)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var flags: UInt32 = 0
    return ioctl(descriptor, clocksmith_rtc_read_flags, &flags) == 0
      ? RTCFlags(rawValue: flags) : nil
  }

  /// The Raspberry Pi 5's own clock has no flags, but it tells the voltage of its battery, in
  /// microvolts (drivers/rtc/rtc-rpi.c). The cell made for it, an ML2020 of 3 V, is empty at 2 V.
  private var battery: RTCFlags? {
    guard let text = try? attribute("\(path)/battery_voltage"), let microvolts = Int(text) else {
      return nil
    }
    return microvolts < 2_000_000 ? .backupLow : []
  }
}

/// An attribute of sysfs: one line, without its end.
private func attribute(_ path: String) throws(Fault) -> String {
  let line = try readRegularFile(path).prefix { $0 != 0 && $0 != 10 }
  return String(decoding: line, as: UTF8.self)
}
