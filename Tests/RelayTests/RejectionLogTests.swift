import Basics
import Daemon
import Testing

@testable import Relay

@Suite struct RejectionLogTests {
  private func logged(_ rejections: [Rejection]) -> [String] {
    let journal = Journal()
    var logged: [String] = []
    journal.heard = { logged.append($0.message) }
    let log = RejectionLog(journal)
    for rejection in rejections { log.log(rejection, from: "clock/command") }
    return logged
  }

  @Test("a cause is logged once, whichever command it refuses") func once() {
    let rejections = ["a", "b"].map { id in
      var rejection = Rejection(.past, "it is too late")
      rejection.id = id
      return rejection
    }
    #expect(
      logged(rejections + [Rejection(.past, "it is much too late")]) == [
        "refused the command \"a\" on clock/command: it is too late",
        "refused a message on clock/command: it is much too late",
      ])
  }

  @Test("causes that are made up do not fill the journal") func flood() {
    #expect(logged((0..<1000).map { Rejection(.key, "unknown key '\($0)'") }).count == 64)
  }
}
