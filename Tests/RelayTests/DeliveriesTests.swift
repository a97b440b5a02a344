import Basics
import TestSupport
import Testing

@testable import Relay

@Suite struct DeliveriesTests {
  private let production = Lane.apns(.production)
  private let test: TestRegister

  init() throws { test = try TestRegister() }

  /// Adds a message and takes it.
  private func message(
    _ event: PushEvents = .alarm, for lanes: [Lane]? = nil, life: Int64 = 3600
  ) throws -> Int64 {
    let message = PushMessage(
      event: event, kind: "alarm_rings", title: "hall", body: "alarm 1 rings",
      fields: ["ALARM": "1"], collapse: "alarm-1", created: .second(0), expires: .second(life))
    let id = try test.register.add(message)
    let kept = try #require(try test.register.message(id))
    #expect(kept.message == message)
    try test.register.take(kept, for: lanes ?? [production], at: .second(1))
    return id
  }

  private func advance(
    _ outcomes: [Outcome] = [], _ lane: Lane? = nil, most: Int = 100, at second: Int64 = 1
  ) throws -> [Delivery] {
    try test.register.advance(outcomes, in: lane ?? production, most: most, at: .second(second))
      .deliveries
  }

  private func refused(_ delivery: Delivery, _ reason: String) -> Outcome {
    Outcome(delivery: delivery, state: .refused, reason: reason)
  }

  @Test("an id of a request is the same when it is made again, and another for each delivery")
  func requestIDs() throws {
    let kept = try #require(try test.register.message(try message()))
    func ids() -> [String] {
      (1...1000).map {
        Delivery(id: $0, message: kept, device: 0, token: "", tries: 1).requestID
      }
    }
    #expect(Set(ids()).count == 1000 && ids() == ids())
    let form = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
    #expect(ids().allSatisfy { $0.wholeMatch(of: form) != nil })
  }

  @Test("a message waits for every device that wants it, until its outcome is noted")
  func once() throws {
    for number in 1...10 { try test.add(number, number.isMultiple(of: 2) ? .alarm : .hour) }
    let id = try message(for: [production, .apns(.sandbox)])
    // A device that is registered later does not get the message.
    try test.add(12, .alarm)
    let first = try advance(most: 2)
    #expect(first.map(\.token) == [2, 4].map(TestRegister.token))
    #expect(try advance(most: 2) == first)
    let accepted = first.map { Outcome(delivery: $0, state: .accepted) }
    #expect(try advance(accepted).map(\.token) == [6, 8, 10].map(TestRegister.token))
    #expect(try advance([], .apns(.sandbox)).isEmpty)
    #expect(try test.register.counts(of: id) == [.accepted: 2, .waiting: 3])
  }

  @Test("one that is tried again is read when it is due, and counted") func waiting() throws {
    try test.add(1)
    _ = try message()
    let first = try #require(try advance().first)
    let again = Outcome(
      delivery: first, state: .waiting, due: .second(20), reason: "TooManyRequests")
    #expect(try advance([again], at: 10).isEmpty)
    #expect(try test.register.nextDue(in: production, after: .second(10)) == .second(20))
    let second = try #require(try advance(at: 20).first)
    #expect(second.id == first.id && second.tries == 2)
    #expect(try test.register.nextDue(in: production, after: .second(20)) == nil)
  }

  @Test("a device that goes meanwhile is not told") func gone() throws {
    try test.add(1)
    try test.add(2)
    let id = try message()
    var goes = refused(try advance()[0], "Unregistered")
    goes.departure = .init(reason: "Unregistered", since: .second(1))
    let departed = try test.register.advance([goes], in: production, most: 0, at: .second(2))
      .departed
    #expect(departed == [goes])
    #expect(try test.register.remove(token: TestRegister.token(2)))
    #expect(try advance().isEmpty)
    #expect(try test.register.counts(of: id) == [.refused: 2])
  }

  @Test("what nobody accepted is told with the receiver and the reason") func failures() throws {
    let hook = Lane.webhook("b")
    let id = try message(for: [hook, .ntfy("a"), .ntfy("c")], life: 10)
    let refusal = refused(try advance([], hook)[0], "status 410")
    let accepted = Outcome(delivery: try advance([], .ntfy("c"))[0], state: .accepted)
    #expect(try advance([refusal, accepted], .ntfy("a"), at: 10).isEmpty)
    #expect(
      try test.register.failures(of: id, most: 3) == [
        "ntfy a: expired, before it could be sent", "webhook b: refused, status 410",
      ])
    #expect(try test.register.failures(of: id, most: 1).count == 1)
  }

  @Test("what is old is forgotten") func pruned() throws {
    try test.add(1)
    for second in [Int64(1), 2] {
      let id = try message()
      _ = try advance([refused(try advance()[0], "PayloadEmpty")])
      try test.register.finish(id, at: .second(second))
    }
    try test.register.prune(before: .second(2))
    for table in ["messages", "deliveries"] {
      #expect(try test.register.database.integer("SELECT count(*) FROM \(table)") == 1)
    }
  }

  @Test("of a register of version 1, the devices are kept") func version1() throws {
    try test.add(1)
    _ = try message()
    try test.register.database.execute("CREATE TABLE passes (lane); PRAGMA user_version = 1")
    let register = try Register(path: test.path)
    #expect(try register.countOfDevices() == 1)
    #expect(try register.database.integer("SELECT count(*) FROM messages") == 0)
  }
}
