import Basics
import TestSupport
import Testing

@testable import Relay

extension TestRegister {
  func message(
    _ event: PushEvents = .alarm, at second: Int64 = 0, life: Int64 = 3600
  ) throws(Fault) -> Int64 {
    try register.add(
      PushMessage(
        event: event, kind: "alarm_rings", title: "hall", body: "alarm 1 rings",
        fields: ["ALARM": "1"], collapse: "alarm-1", created: .second(second),
        expires: .second(second + life)))
  }

  func advance(
    _ outcomes: [Outcome] = [], _ lane: Lane = production, room: Int = 100, at second: Int64 = 1
  ) throws(Fault) -> Register.Batch {
    try register.advance(outcomes, in: lane, room: room, at: .second(second))
  }

  static let production = Lane.apns(.production)
}

@Suite struct DeliveriesTests {
  private let production = TestRegister.production

  private func outcome(_ delivery: Delivery, _ state: DeliveryState) -> Outcome {
    Outcome(delivery: delivery, state: state)
  }

  @Test("a message is kept as it was made") func message() throws {
    let test = try TestRegister()
    let id = try test.message(at: 5)
    let kept = try #require(try test.register.message(id))
    #expect(kept.message.fields == ["ALARM": "1"])
    #expect(kept.message.event == .alarm && kept.message.body == "alarm 1 rings")
    #expect(kept.message.created == .second(5) && kept.message.expires == .second(3605))
    #expect(try test.register.unfinished(taken: false) == [id])
  }

  @Test("an id of a request is the same when it is made again, and another for each delivery")
  func requestIDs() throws {
    let test = try TestRegister()
    let kept = try #require(try test.register.message(try test.message()))
    let ids = (1...1000).map { kept.requestID(of: $0) }
    #expect(Set(ids).count == 1000)
    #expect(ids == (1...1000).map { kept.requestID(of: $0) })
    let form = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
    #expect(ids.allSatisfy { $0.wholeMatch(of: form) != nil })
  }

  @Test("what is worth nothing any more is noted in parts, and holds up nothing")
  func manyExpired() throws {
    let test = try TestRegister()
    let devices = (0..<4500).compactMap { try? Device(token: hexadecimal($0)) }
    _ = try test.register.add(devices, at: .second(0))
    let id = try test.message(life: 10)
    _ = try test.register.take(id, for: [production], at: .second(1))
    var parts: [Int] = []
    repeat {
      let batch = try test.advance(at: 20)
      #expect(batch.deliveries.isEmpty && batch.made == batch.ended)
      parts.append(batch.made[id] ?? 0)
      if !batch.isCut { break }
    } while parts.count < 10
    #expect(parts == [2000, 2000, 500, 0])
    #expect(try test.register.counts(of: id) == [.expired: 4500])
  }

  /// A device token of 64 digits.
  private func hexadecimal(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 64 - digits.count) + digits
  }

  @Test("every device that wants it is given a message once, in parts") func once() throws {
    let test = try TestRegister()
    for number in 1...10 { try test.add(number, number.isMultiple(of: 2) ? .alarm : .hour) }
    let id = try test.message()
    #expect(try test.register.take(id, for: [production, .apns(.sandbox)], at: .second(1)) == 0)
    // A device that is registered later does not get the message.
    try test.add(12, .alarm)
    var tokens: [String] = []
    for _ in 0..<4 { tokens += try test.advance(room: 2).deliveries.map(\.token) }
    #expect(tokens == [2, 4, 6, 8, 10].map(TestRegister.token))
    #expect(try test.advance([], .apns(.sandbox)).deliveries.isEmpty)
    #expect(try !test.register.hasPasses(id))
    #expect(try test.register.counts(of: id) == [.sent: 5])
  }

  @Test("what a person publishes is for every device") func forAll() throws {
    let test = try TestRegister()
    try test.add(1, .hour)
    _ = try test.register.take(try test.message(.message), for: [production], at: .second(1))
    #expect(try test.advance().deliveries.count == 1)
  }

  @Test("one that waits is taken when it is due, and counted") func waiting() throws {
    let test = try TestRegister()
    try test.add(1)
    let id = try test.message()
    _ = try test.register.take(id, for: [production], at: .second(1))
    let first = try #require(try test.advance().deliveries.first)
    var again = outcome(first, .waiting)
    again.due = .second(20)
    again.reason = "TooManyRequests"
    #expect(try test.advance([again], at: 10).deliveries.isEmpty)
    #expect(try test.register.nextDue(in: production) == .second(20))
    let second = try #require(try test.advance(at: 20).deliveries.first)
    #expect(second.id == first.id && second.tries == 2)
    _ = try test.advance([outcome(second, .accepted)], at: 21)
    #expect(try test.register.counts(of: id) == [.accepted: 1])
    #expect(try test.register.nextDue(in: production) == nil)
  }

  @Test("what was sent without an answer is not sent again after a restart; the rest is")
  func restart() throws {
    let test = try TestRegister()
    for number in 1...6 { try test.add(number) }
    let id = try test.message()
    _ = try test.register.take(id, for: [production], at: .second(1))
    let sent = try test.advance(room: 3).deliveries
    var waits = outcome(sent[1], .waiting)
    waits.due = .second(5)
    _ = try test.advance([outcome(sent[0], .accepted), waits], room: 0)
    let after = try Register(path: test.path)
    #expect(try after.leaveUnanswered(at: .second(9)) == 1)
    #expect(try after.unfinished(taken: true) == [id])
    let rest = try after.advance([], in: production, room: 10, at: .second(9)).deliveries
    #expect(rest.map(\.token) == [2, 4, 5, 6].map(TestRegister.token))
    #expect(try after.counts(of: id)[.unanswered] == 1)
  }

  @Test("past its life a message is sent to nobody, and every delivery says so") func expired()
    throws
  {
    let test = try TestRegister()
    for number in 1...4 { try test.add(number) }
    let id = try test.message(life: 10)
    _ = try test.register.take(id, for: [production, .ntfy("phone")], at: .second(1))
    var waits = outcome(try #require(try test.advance(room: 1).deliveries.first), .waiting)
    waits.due = .second(9)
    _ = try test.advance([waits], room: 0)
    let batch = try test.advance(at: 10)
    #expect(batch.deliveries.isEmpty && batch.made == [id: 3] && batch.ended == [id: 4])
    #expect(try test.advance([], .ntfy("phone"), at: 10).ended == [id: 1])
    #expect(try test.register.counts(of: id) == [.expired: 5])
  }

  @Test("a device that goes meanwhile is not told") func gone() throws {
    let test = try TestRegister()
    try test.add(1)
    try test.add(2)
    let id = try test.message()
    _ = try test.register.take(id, for: [production], at: .second(1))
    let sent = try test.advance().deliveries
    var goes = outcome(sent[0], .refused)
    goes.departure = .init(reason: "Unregistered", since: nil)
    var waits = outcome(sent[1], .waiting)
    waits.due = .second(2)
    #expect(try test.advance([goes, waits], room: 0).departed == [goes])
    #expect(try test.register.remove(token: TestRegister.token(2)))
    let batch = try test.advance(at: 3)
    #expect(batch.deliveries.isEmpty && batch.ended == [id: 1])
    #expect(try test.register.counts(of: id) == [.refused: 2])
  }

  @Test("what is for a lane that is no more ends, and is told as that") func lanes() throws {
    let test = try TestRegister()
    try test.add(1)
    let id = try test.message()
    _ = try test.register.take(id, for: [production, .ntfy("a"), .webhook("b")], at: .second(1))
    try test.register.closeLanes(but: [.webhook("b")], at: .second(2))
    #expect(try !test.register.hasPasses(id))
    #expect(try test.register.counts(of: id) == [.refused: 1, .waiting: 1])
  }

  @Test("what nobody accepted is told with the receiver and the reason") func failures() throws {
    let test = try TestRegister()
    let id = try test.message(life: 10)
    let hook = Lane.webhook("b")
    _ = try test.register.take(id, for: [hook, .ntfy("a"), .ntfy("c")], at: .second(1))
    var refused = outcome(try #require(try test.advance([], hook).deliveries.first), .refused)
    refused.reason = "status 410"
    _ = try test.advance([refused], hook, room: 0)
    let sent = try #require(try test.advance([], .ntfy("c")).deliveries.first)
    _ = try test.advance([outcome(sent, .accepted)], .ntfy("c"), room: 0)
    _ = try test.advance([], .ntfy("a"), at: 10)
    #expect(
      try test.register.failures(of: id, most: 3) == [
        "ntfy a: expired, before it could be sent", "webhook b: refused, status 410",
      ])
    #expect(try test.register.failures(of: id, most: 1).count == 1)
  }

  @Test("what is old, or too much, is forgotten in parts") func pruned() throws {
    let test = try TestRegister()
    for number in 1...3 { try test.add(number) }
    for second in [Int64(1), 2] {
      let id = try test.message(at: second)
      _ = try test.register.take(id, for: [production], at: .second(second))
      let sent = try test.advance().deliveries
      _ = try test.advance(sent.map { outcome($0, .accepted) }, room: 0)
      try test.register.finish(id, at: .second(second))
    }
    func prune(_ before: Int64, most: Int64) throws {
      while try test.register.prune(before: .second(before), most: most) {}
    }
    let count = "SELECT count(*) FROM deliveries"
    try prune(1, most: 100)
    #expect(try test.register.database.integer(count) == 6)
    try prune(2, most: 100)
    #expect(try test.register.database.integer(count) == 3)
    try prune(0, most: 1)
    #expect(try test.register.database.integer("SELECT count(*) FROM messages") == 0)
  }
}
