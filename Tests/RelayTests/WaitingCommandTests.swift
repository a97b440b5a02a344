import Basics
import Horology
import Testing

@testable import Relay

@Suite struct WaitingCommandTests {
  /// A clock that takes a command five seconds before its instant.
  private static let clock = Record(["RequestAhead": .real(5)])
  private let clock = AnnouncerState(Self.clock)
  private let busy = Rejection(.busy, "the clock says something else")
  private let instant = Instant.second(1_795_359_660)

  private func command(isRestored: Bool = false) throws -> WaitingCommand {
    var reader = CommandReader()
    let text = #"{"command":"announce","at":1795359660,"id":"bell"}"#
    let order = reader.restore(text)
    return WaitingCommand(try #require(order), at: instant, number: nil, isRestored: isRestored)
  }

  /// - Parameter seconds: after the instant.
  private func step(
    _ command: WaitingCommand, _ seconds: Duration, _ clock: AnnouncerState? = nil,
    isRunning: Bool = true, isHeard: Bool = true
  ) -> WaitingCommand.Step? {
    command.step(
      at: instant + seconds, clock ?? self.clock, isRunning: isRunning, isHeard: isHeard)
  }

  @Test("it is sent once the clock takes it, and done at its instant") func course() throws {
    let command = try command()
    #expect(command.due(clock) == instant + .milliseconds(-4750))
    #expect(step(command, .milliseconds(-4751)) == nil)
    #expect(step(command, .milliseconds(-4750)) == .send)
    command.stage = .sent
    #expect(command.due(clock) == nil && step(command, .zero) == nil)
    let answer = Record(["text": .text("three")])
    command.stage = .handed(answer)
    #expect(step(command, .milliseconds(-1)) == nil && command.due(clock) == instant)
    #expect(step(command, .zero) == .done(answer))
  }

  @Test("a clock that is busy is asked again, and too late its first reason is told")
  func retries() throws {
    let command = try command()
    command.stage = .sent
    command.fail(busy, at: instant + .seconds(-4))
    #expect(step(command, .milliseconds(-3751)) == nil)
    #expect(step(command, .milliseconds(-3750)) == .send)
    command.stage = .sent
    command.fail(Rejection(.absent, "the clock does not run"), at: instant + .seconds(-1))
    #expect(step(command, .zero) == .lost(busy))
  }

  @Test("a command whose instant has passed unseen is told as lost, once that can be heard")
  func lost() throws {
    let command = try command()
    #expect(step(command, .zero, isHeard: false) == nil)
    guard case .lost(let why)? = step(command, .zero) else {
      Issue.record("it is not told as lost")
      return
    }
    #expect(why.kind == .past)
  }

  @Test("after a restart of the relay, the clock knows whether it has carried the command out")
  func restored() throws {
    let command = try command(isRestored: true)
    #expect(step(command, .seconds(1), isRunning: false) == nil)
    let speaks = AnnouncerState(Self.clock.merging(Record(["Playing": .text("the time")])))
    #expect(step(command, .seconds(1), speaks) == nil)
    let last = Record(["at": .text(instant.rfc3339)])
    let hasSpoken = AnnouncerState(Self.clock.merging(Record(["Last": .record(last)])))
    #expect(step(command, .seconds(1), hasSpoken) == .done(Record()))
    guard case .lost? = step(command, .seconds(1)) else {
      Issue.record("it is not told as lost")
      return
    }
  }
}
