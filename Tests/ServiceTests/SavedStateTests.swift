import Devices
import Horology
import Sound
import TestSupport
import Testing

@testable import Service

@Suite struct SavedStateTests {
  private static let states: [SavedState] = {
    var states: [SavedState] = []
    let mutes: [SoftwareMute] = [
      .off, .on, .next, .until(Instant(nanoseconds: 1_795_275_000_000_007_000)),
    ]
    for mute in mutes {
      for volume in [nil, SavedState.Volume(decibels: -12.5, configured: 0)] {
        var state = SavedState()
        (state.mute, state.volume) = (mute, volume)
        states.append(state)
        if case .until = mute {
          state.muteEnd = SavedState.End(
            boot: "0123456789abcdef0123456789abcdef", sinceBoot: .seconds(86_400))
          states.append(state)
        }
      }
    }
    return states
  }()

  @Test("what is written is what is read", arguments: states)
  func roundTrip(state: SavedState) throws {
    #expect(try SavedState(text: state.text, path: "state") == state)
  }

  @Test("a text that is torn at any byte is no state", arguments: states)
  func torn(state: SavedState) throws {
    // The last byte is the end of the line, and says nothing.
    for length in 0..<(state.text.utf8.count - 1) {
      let torn = String(decoding: state.text.utf8.prefix(length), as: UTF8.self)
      #expect(throws: Fault.self) { try SavedState(text: torn, path: "state") }
    }
  }

  @Test("a mute counts from the start of the machine only until it starts again")
  func anotherBoot() {
    var state = SavedState()
    state.mute = .until(Instant(seconds: 1_795_275_000))
    state.muteEnd = SavedState.End(boot: SystemClock.boot ?? "", sinceBoot: .seconds(86_400))
    #expect(state.muteEndInThisBoot == .seconds(86_400))
    state.muteEnd = SavedState.End(boot: "another", sinceBoot: .seconds(86_400))
    #expect(state.muteEndInThisBoot == nil)
  }

  @Test("a state that cannot be kept is no reason to stop") func noFolder() throws {
    let folder = TemporaryFolder()
    let file = StateFile(path: "\(folder.path)/absent/state.json")
    #expect(throws: Fault.self) { try file.save(SavedState()) }
    let (state, complaint) = file.load()
    #expect(state == SavedState())
    #expect(complaint == nil)
  }
}
