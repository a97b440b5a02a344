import Basics
@preconcurrency import Glibc
import Horology

/// The messages of the register, and their deliveries.
extension Register {
  /// Keeps words that are for every device and every entry until the service takes them.
  public func publish(_ words: String, title: String, at now: Instant) throws(Fault) {
    try synced { () throws(Fault) in try add(.words(words, title: title, at: now)) }
  }

  /// Keeps a message until the service takes it.
  @discardableResult
  func add(_ message: PushMessage) throws(Fault) -> Int64 {
    var seed: UInt64 = 0
    getentropy(&seed, 8)
    try database.run(
      """
      INSERT INTO messages (event, kind, title, body, fields, collapse, created, expires, seed)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .integer(message.event.rawValue), .text(message.kind), .text(message.title),
        .text(message.body), .text(message.fieldsRecord.json), .text(message.collapse),
        .integer(message.created.microseconds), .integer(message.expires.microseconds),
        .integer(Int64(bitPattern: seed)),
      ])
    return database.lastRow
  }

  /// True if the occasion at this instant was published.
  func hasOccasion(at instant: Instant) throws(Fault) -> Bool {
    try database.integer(
      "SELECT 1 FROM messages WHERE event = ? AND expires = ?",
      [.integer(PushEvents.occasion.rawValue), .integer(instant.microseconds)]) != nil
  }

  func message(_ id: Int64) throws(Fault) -> RegisteredMessage? {
    var found: RegisteredMessage?
    try database.run(
      """
      SELECT event, kind, title, body, fields, collapse, created, expires, seed FROM messages
        WHERE id = ?
      """, [.integer(id)]
    ) { row in
      var message = PushMessage(
        event: PushEvents(rawValue: row.integer(0)), kind: row.text(1), title: row.text(2),
        body: row.text(3), collapse: row.text(5), created: Instant(microseconds: row.integer(6)),
        expires: Instant(microseconds: row.integer(7)))
      message.fields = Self.fields(row.text(4))
      found = RegisteredMessage(id: id, message: message, seed: UInt64(bitPattern: row.integer(8)))
    }
    return found
  }

  private static func fields(_ line: String) -> [String: String] {
    guard let record = try? Record(json: line, path: "the fields of a message") else { return [:] }
    var fields: [String: String] = [:]
    for case (let key, .text(let text)) in record.fields { fields[key] = text }
    return fields
  }

  /// The unfinished messages: those already taken, or those not taken yet.
  func unfinished(taken: Bool) throws(Fault) -> [Int64] {
    var found: [Int64] = []
    try database.run(
      "SELECT id FROM messages WHERE taken = ? AND finished IS NULL ORDER BY id",
      [.integer(taken ? 1 : 0)]
    ) { found.append($0.integer(0)) }
    return found
  }

  /// Takes a message: from now on, it waits for these lanes, and for each of their devices.
  func take(_ registered: RegisteredMessage, for lanes: [Lane], at now: Instant) throws(Fault) {
    let message = SQLValue.integer(registered.id)
    let event = registered.message.event.rawValue
    try database.transaction { () throws(Fault) in
      for lane in lanes {
        let values = [message, .text(lane.name), .integer(now.microseconds)]
        if let environment = lane.environment {
          try database.run(
            """
            INSERT INTO deliveries (message, lane, device, state, due)
              SELECT ?, ?, id, 'waiting', ? FROM devices
                WHERE environment = ? AND deactivated IS NULL
                  AND (events & ?5 OR ?5 = \(PushEvents.message.rawValue)) ORDER BY id
            """, values + [.text(environment.rawValue), .integer(event)])
        } else {
          try database.run(
            "INSERT INTO deliveries (message, lane, device, state, due) VALUES (?, ?, 0, 'waiting', ?)",
            values)
        }
      }
      try database.run("UPDATE messages SET taken = 1 WHERE id = ?", [message])
    }
  }

  /// Notes outcomes, and reads the next deliveries of a lane. They wait until their outcome is noted.
  /// - Parameter most: how many to read at most.
  /// - Returns: them, and the outcomes that have deactivated a device.
  func advance(
    _ outcomes: [Outcome], in lane: Lane, most: Int, at now: Instant
  ) throws(Fault) -> (deliveries: [Delivery], departed: [Outcome]) {
    var departed: [Outcome] = []
    try database.transaction { () throws(Fault) in
      for outcome in outcomes where try note(outcome, at: now) { departed.append(outcome) }
      try expire(at: now)
    }
    return (most > 0 ? try due(in: lane, most: most, at: now) : [], departed)
  }

  /// - Returns: true if this has deactivated the device.
  private func note(_ outcome: Outcome, at now: Instant) throws(Fault) -> Bool {
    let delivery = outcome.delivery
    if outcome.state == .accepted {
      try database.run("DELETE FROM deliveries WHERE id = ?", [.integer(delivery.id)])
      try database.run(
        "UPDATE messages SET accepted = accepted + 1 WHERE id = ?", [.integer(delivery.message.id)])
      return false
    }
    try database.run(
      "UPDATE deliveries SET state = ?, tries = ?, due = ?, reason = ? WHERE id = ?",
      [
        .text(outcome.state.rawValue), .integer(Int64(delivery.tries)), SQLValue(outcome.due),
        SQLValue(outcome.reason), .integer(delivery.id),
      ])
    guard let departure = outcome.departure else { return false }
    return try deactivate(delivery.device, departure.reason, since: departure.since, at: now)
  }

  /// Ends the deliveries that have lost their use.
  func expire(at now: Instant) throws(Fault) {
    try database.run(
      """
      UPDATE deliveries SET state = 'expired' WHERE state = 'waiting' AND message IN
        (SELECT id FROM messages WHERE finished IS NULL AND expires <= ?)
      """, [.integer(now.microseconds)])
  }

  /// Ends the deliveries of lanes that are no longer configured.
  func endLanes(but lanes: [Lane]) throws(Fault) {
    let names = lanes.map { "'\($0.name)'" }.joined(separator: ", ")
    try database.execute(
      """
      UPDATE deliveries SET state = 'refused',
        reason = 'the configuration does not have it any more'
        WHERE state = 'waiting' AND lane NOT IN (\(names))
      """)
  }

  private func due(in lane: Lane, most: Int, at now: Instant) throws(Fault) -> [Delivery] {
    var rows: [(id: Int64, message: Int64, device: Int64, token: String, tries: Int64)] = []
    try database.run(
      """
      SELECT d.id, d.message, d.device, v.token, d.tries FROM deliveries d
        LEFT JOIN devices v ON v.id = d.device
        WHERE d.lane = ? AND d.state = 'waiting' AND d.due <= ? ORDER BY d.due, d.id LIMIT ?
      """, [.text(lane.name), .integer(now.microseconds), .integer(Int64(most))]
    ) { rows.append(($0.integer(0), $0.integer(1), $0.integer(2), $0.text(3), $0.integer(4))) }
    var messages: [Int64: RegisteredMessage] = [:]
    var deliveries: [Delivery] = []
    for row in rows {
      if messages[row.message] == nil { messages[row.message] = try message(row.message) }
      guard let message = messages[row.message] else { continue }
      deliveries.append(
        Delivery(
          id: row.id, message: message, device: row.device, token: row.token,
          tries: Int(row.tries) + 1))
    }
    return deliveries
  }

  /// When the next waiting delivery of a lane is due after now; nil if there is none.
  func nextDue(in lane: Lane, after now: Instant) throws(Fault) -> Instant? {
    try database.integer(
      "SELECT min(due) FROM deliveries WHERE lane = ? AND state = 'waiting' AND due > ?",
      [.text(lane.name), .integer(now.microseconds)]
    ).map { Instant(microseconds: $0) }
  }

  /// True if a message has still to be sent to somebody.
  func isWaiting(_ message: Int64) throws(Fault) -> Bool {
    try database.integer(
      "SELECT 1 FROM deliveries WHERE message = ? AND state = 'waiting' LIMIT 1",
      [.integer(message)]) != nil
  }

  /// How many deliveries of a message are in each state.
  func counts(of message: Int64) throws(Fault) -> [DeliveryState: Int] {
    var counts: [DeliveryState: Int] = [:]
    try database.run(
      """
      SELECT state, count(*) FROM deliveries WHERE message = ?1 GROUP BY state
        UNION ALL SELECT 'accepted', accepted FROM messages WHERE id = ?1 AND accepted > 0
      """, [.integer(message)]
    ) { row in
      if let state = DeliveryState(rawValue: row.text(0)) { counts[state] = Int(row.integer(1)) }
    }
    return counts
  }

  /// The deliveries of a message that nobody accepted, as in `webhook school: refused, status 410`.
  /// - Parameter most: how many are named; the most frequent come first.
  func failures(of message: Int64, most: Int) throws(Fault) -> [String] {
    var found: [String] = []
    try database.run(
      """
      SELECT lane, state, reason, count(*) AS number FROM deliveries
        WHERE message = ? AND state IN ('refused', 'expired') GROUP BY lane, state, reason
        ORDER BY number DESC, lane, state, reason LIMIT ?
      """, [.integer(message), .integer(Int64(most))]
    ) { row in
      let reason = row.isNull(2) ? "before it could be sent" : row.text(2)
      found.append("\(row.text(0)): \(row.text(1)), \(reason)")
    }
    return found
  }

  /// From now on it is not sent again.
  func finish(_ message: Int64, at now: Instant) throws(Fault) {
    try synced { () throws(Fault) in
      try database.run(
        "UPDATE messages SET finished = ? WHERE id = ?",
        [.integer(now.microseconds), .integer(message)])
    }
  }

  /// Deletes the messages that were finished before an instant.
  func prune(before: Instant) throws(Fault) {
    try database.transaction { () throws(Fault) in
      try database.run(
        """
        DELETE FROM deliveries WHERE message IN (SELECT id FROM messages WHERE finished < ?)
        """, [.integer(before.microseconds)])
      try database.run(
        "DELETE FROM messages WHERE finished < ?", [.integer(before.microseconds)])
    }
  }
}
