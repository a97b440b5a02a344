import Basics
import Daemon
import Horology
import Testing

@testable import Relay

@Suite struct PublisherTests {
  /// A publisher on a register that refuses every message, as on a full disk: what writes nothing
  /// succeeds.
  private final class RefusingRegister {
    let test: TestRegister
    let loop: EventLoop
    private(set) var told: [String] = []
    private var publisher: Publisher?
    private var steps: [EventSource] = []

    init() throws {
      test = try TestRegister()
      loop = try EventLoop()
      try test.register.database.execute(
        "CREATE TRIGGER refuse BEFORE INSERT ON messages BEGIN SELECT RAISE(FAIL, 'full'); END")
      let publisher = Publisher(loop, path: test.path) { [unowned self] _, _, words, _ in
        told.append(words)
      }
      // No lane wants the message, so nothing is sent.
      var entry = PushConfiguration.Ntfy()
      entry.authority = test.folder.path
      entry.events = .alarm
      publisher.use([try NtfyProvider("phone", entry)], of: [.ntfy("phone")])
      publisher.publish(
        PushMessage(
          event: .hour, kind: "announced", title: "hall", body: "ten", collapse: "hour",
          created: .now, expires: .now + .seconds(600)))
      self.publisher = publisher
    }

    /// The steps hold this register, and end with the run.
    func run() throws {
      defer { steps = [] }
      try loop.run()
    }

    func accept() { try? test.register.database.execute("DROP TRIGGER IF EXISTS refuse") }

    func stop() { publisher?.stop { [unowned self] in loop.exit() } }

    func then(after seconds: Int, _ body: @escaping () -> Void) throws {
      steps.append(try loop.after(.seconds(seconds), body))
    }

    var count: Int64? {
      get throws { try test.register.database.integer("SELECT count(*) FROM messages") }
    }
  }

  @Test("a register that refuses is told once, until what it has refused is written")
  func refused() throws {
    let relay = try RefusingRegister()
    var before = 0
    try relay.then(after: 3) {
      // By now it has been tried again.
      before = relay.told.count
      relay.accept()
    }
    try relay.then(after: 5) { relay.stop() }
    try relay.run()
    #expect(before == 1)
    #expect(relay.told.first?.hasSuffix("full; what is to be published waits") == true)
    #expect(Array(relay.told.dropFirst()) == ["the register can be used again"])
    #expect(try relay.count == 1)
  }

  @Test("what waits in memory is lost at the end if it cannot be written, and that is told")
  func lost() throws {
    let relay = try RefusingRegister()
    try relay.then(after: 0) { relay.stop() }
    try relay.run()
    #expect(relay.told.count == 2)
    #expect(relay.told.last?.hasSuffix("full; 1 message is lost") == true)
    #expect(try relay.count == 0)
  }

  @Test("what waits in memory is written at the end, for the next run") func kept() throws {
    let relay = try RefusingRegister()
    relay.accept()
    try relay.then(after: 0) { relay.stop() }
    try relay.run()
    #expect(relay.told.last == "the register can be used again")
    #expect(try relay.count == 1)
  }
}
