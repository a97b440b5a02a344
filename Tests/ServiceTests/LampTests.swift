import Basics
import Daemon
import Devices
import Testing

@testable import Service

@Suite struct LampTests {
  @Test("a blinking lamp that was lost blinks again when it is back") func blinksAgain() throws {
    let loop = try EventLoop()
    let line = FakeLine()
    let lamp = LampLine(loop: loop, journal: Journal()) { () throws(Fault) in
      if line.isGone { throw FakeLine.gone }
      return line
    }
    line.isGone = true
    lamp.show(.blinking)
    line.isGone = false
    lamp.check()
    line.levels = []
    line.changed = { [unowned line] in if Set(line.levels).count == 2 { loop.exit() } }
    let patience = try loop.after(.seconds(5)) { loop.exit() }
    try loop.run()
    withExtendedLifetime(patience) {}
    #expect(Set(line.levels) == [true, false])
  }

}

/// A line that records the levels it is set to, and that can disappear.
private final class FakeLine: OutputLine {
  static let gone = Fault("cannot take the line", "it is gone")
  var isGone = false
  var levels: [Bool] = []
  var changed: () -> Void = {}

  func set(_ isActive: Bool) throws(Fault) {
    if isGone { throw Self.gone }
    levels.append(isActive)
    changed()
  }
}
